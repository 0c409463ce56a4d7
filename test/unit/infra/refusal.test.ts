import { Fn, Token } from 'aws-cdk-lib';
import { Construct } from 'constructs';
import { checkNamed, refusal, shown } from '../../../infra/refusal.ts';
import { newApp } from './synthesized.ts';

const later = 'a value that is only known when the stack is deployed';

it.each<[string, unknown, string]>([
  ['nothing', undefined, 'nothing'],
  ['text', 'a', '"a"'],
  ['a number', Number.NaN, 'NaN'],
  ['a great number', 7n, '7'],
  ['null', null, 'null'],
  ['a list', ['a', 1], '["a",1]'],
  ['an object', { a: null }, '{"a":null}'],
  ['a function', Number, String(Number)],
  ['a construct, which leads back to itself', new Construct(newApp(), 'Any'), 'a Construct'],
  ['a token', Fn.importValue('X'), later],
  ['a number that is a token', Token.asNumber({ Ref: 'X' }), later],
  [
    'a list with tokens and constructs in it',
    [Fn.importValue('X'), new Construct(newApp(), 'Any')],
    `["(${later})","(a Construct)"]`,
  ],
  ['an object with tokens in it', { a: { b: Token.asNumber({ Ref: 'X' }) } }, `{"a":{"b":"(${later})"}}`],
])('a message shows %s', (_, value, text) => {
  expect(shown(value)).toBe(text);
  expect(refusal('prop', 'must be another', value, 'Change it.').message).toBe(
    `prop must be another, got ${text}. Change it.`,
  );
});

describe('an object of named values', () => {
  const check = (value: unknown) => () => checkNamed('prop', value, ['one', 'two'], 'Leave it out.');

  it.each([{}, { one: 1 }, { two: undefined, one: null }, Object.create(null)])('may be %j', (value) => {
    expect(check(value)).not.toThrow();
  });

  it.each<[unknown, string]>([
    [null, 'null'],
    [7, '7'],
    ['one', '"one"'],
    [['one'], '["one"]'],
    [new Date(0), 'a Date'],
    [Token.asAny({ Ref: 'X' }), later],
  ])('is not %j', (value, got) => {
    expect(check(value)).toThrow(`prop must be an object with any of one, two, got ${got}. Leave it out.`);
  });

  it.each(['three', 'toString', '__proto'])('has no other name, such as %s', (name) => {
    expect(check({ one: 1, [name]: 2 })).toThrow(
      `prop must have no other names than one, two, got "${name}". Leave it out.`,
    );
  });
});
