import { CapacityMeter } from '../../bench/capacity-meter.ts';

const update = (lockId: string, TableName = 'locks') => ({
  operation: 'UpdateItem',
  body: { TableName, Key: { lockId: { S: lockId } } },
});
const consumed = (units: number) => JSON.stringify({ ConsumedCapacity: { CapacityUnits: units } });
const refused = JSON.stringify({ __type: 'com.amazonaws.dynamodb.v20120810#ConditionalCheckFailedException' });

describe('a capacity meter', () => {
  it('lets each request ask what it consumed', () => {
    expect(JSON.parse(new CapacityMeter().asking('{"TableName":"locks","ReturnConsumedCapacity":"NONE"}'))).toEqual({
      TableName: 'locks',
      ReturnConsumedCapacity: 'TOTAL',
    });
  });

  it('leaves alone what has no body', () => {
    expect(new CapacityMeter().asking('')).toBe('');
  });

  it('takes what the database says', () => {
    expect(new CapacityMeter().unitsOf(update('a'), consumed(4))).toBe(4);
    expect(new CapacityMeter().unitsOf({ operation: 'GetItem', body: {} }, consumed(0.5))).toBe(0.5);
  });

  it('charges a refused write for the item as it was written last, and for the least where it was not', () => {
    const meter = new CapacityMeter();
    expect(meter.unitsOf(update('a'), refused)).toBe(1);
    meter.unitsOf(update('a'), consumed(4));
    expect(meter.unitsOf(update('a'), refused)).toBe(4);
    expect(meter.unitsOf(update('b'), refused)).toBe(1);
    expect(meter.unitsOf(update('a', 'others'), refused)).toBe(1);
  });

  it('does not take a read for a write of the item', () => {
    const meter = new CapacityMeter();
    meter.unitsOf({ ...update('a'), operation: 'GetItem' }, consumed(3));
    expect(meter.unitsOf(update('a'), refused)).toBe(1);
  });

  it('charges nothing for what was answered with another error, or with no JSON', () => {
    const meter = new CapacityMeter();
    meter.unitsOf(update('a'), consumed(2));
    expect(meter.unitsOf(update('a'), '{"__type":"x#InternalServerError"}')).toBe(0);
    expect(meter.unitsOf(update('a'), 'Bad Gateway')).toBe(0);
    expect(meter.unitsOf(update('a'), refused)).toBe(2);
  });
});
