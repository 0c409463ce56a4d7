import { type resourcesOf, synthesize } from './synthesized.ts';

describe('the stack', () => {
  const { template } = synthesize();

  it('says where clients connect to, and which table keeps the locks', () => {
    template.hasOutput('ApiUrl', { Value: { 'Fn::GetAtt': ['LocksApi687198B1', 'ApiEndpoint'] } });
    template.hasOutput('TableName', { Value: { Ref: 'LocksTable84FB9352' } });
  });

  it('leaves the table behind when it is deleted, and nothing else', () => {
    const { Resources } = template.toJSON() as { Resources: ReturnType<typeof resourcesOf> };
    const retained = Object.entries(Resources).filter(([, resource]) => resource.DeletionPolicy === 'Retain');
    expect(retained.map(([id]) => id)).toEqual(['LocksTable84FB9352']);
  });
});
