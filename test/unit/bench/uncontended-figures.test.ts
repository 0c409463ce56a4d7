import type { LockSystem } from '../../bench/rivals/lock-system.ts';
import { holdfastEmbedded, holdfastOverHttp } from '../../bench/rivals/systems/holdfast.ts';
import { throughputFigures } from '../../bench/rivals/workloads/throughput-figures.ts';
import { uncontendedTargets } from '../../bench/rivals/workloads/uncontended-targets.ts';

const system = (kind: LockSystem['kind'], sdk: LockSystem['sdk']) =>
  ({ name: `${kind} on ${sdk}`, kind, sdk }) as LockSystem;
const [floorV3, floorV2] = [system('floor', 'v3'), system('floor', 'v2')];
const [rivalV3, rivalV2] = [system('rival', 'v3'), system('rival', 'v2')];

const cycles = (...p50Ms: number[]) => ({
  p50Ms,
  tail: 'p99',
  tailMs: p50Ms,
  cpuMs: p50Ms,
  requests: 2,
  writes: 2,
  reads: 0,
  units: 2,
});

describe('a lock that nobody else wants', () => {
  const figures = uncontendedTargets(
    new Map([
      [floorV3, cycles(4, 4)],
      [floorV2, cycles(5, 5)],
      [holdfastEmbedded, cycles(4, 6)],
      [holdfastOverHttp, cycles(8, 8)],
      [rivalV3, cycles(2, 4)],
      [rivalV2, cycles(8, 6)],
    ]),
    [1, 1],
  );
  const by = (name: string) => figures.find(({ figure }) => figure.includes(`p50 of a cycle, by that of ${name}`));

  it('has a target by each rival on the same SDK, the mean of two repetitions', () => {
    expect(by(rivalV3.name)).toMatchObject({
      target: '< 1.00 ×',
      measured: '1.75 × (1.50 × to 2.00 ×); of the floor alone 1.50 ×',
      met: false,
    });
  });

  it('is shown by each rival on another SDK, too, with how far the two SDKs are apart', () => {
    expect(by(rivalV2.name)).toEqual({
      figure: 'uncontended: Holdfast embedded, p50 of a cycle, by that of rival on v2, which is on SDK v2',
      measured: '0.75 × (0.50 × to 1.00 ×); the floors of the two SDKs 0.80 ×',
    });
  });
});

describe('many locks at once', () => {
  const results = new Map([
    [floorV3, { perSecond: [100, 100], failed: 0 }],
    [floorV2, { perSecond: [50, 50], failed: 0 }],
    [holdfastEmbedded, { perSecond: [90, 90], failed: 0 }],
    [rivalV3, { perSecond: [60, 45], failed: 3 }],
    [rivalV2, { perSecond: [30, 30], failed: 0 }],
  ]);
  const figures = throughputFigures('many', results);

  it('are shown of each system by its own floor', () => {
    expect(figures.slice(3, 5).map(({ measured }) => measured)).toEqual([
      '53 (45 to 60) locks a second; 0.53 × its floor; 3 failed',
      '30 locks a second; 0.60 × its floor',
    ]);
  });

  it('are shown of Holdfast by raw writes, and by each rival, which is no target', () => {
    expect(figures.slice(5)).toEqual([
      { figure: 'many: Holdfast embedded, by raw writes', target: '≥ 0.90 ×', measured: '0.90 ×', met: true },
      { figure: 'many: Holdfast embedded, by rival on v3', measured: '1.75 × (1.50 × to 2.00 ×)' },
      { figure: 'many: Holdfast embedded, by rival on v2, which is on SDK v2', measured: '3.00 ×' },
    ]);
  });

  it('are missed where raw writes are faster by more', () => {
    const slower = new Map(results).set(holdfastEmbedded, { perSecond: [89, 89], failed: 0 });
    expect(throughputFigures('many', slower)[5]).toMatchObject({ met: false });
  });

  it('need the floor of each SDK', () => {
    const without = new Map([...results].filter(([each]) => each !== floorV2));
    expect(() => throughputFigures('many', without)).toThrow('the floor on SDK v2 must have been measured');
  });
});
