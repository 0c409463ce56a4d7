import type { ContentionSummary } from '../../bench/rivals/contention/contention-summary.ts';
import type { ContentionCost } from '../../bench/rivals/contention/counted-contention.ts';
import type { LockSystem } from '../../bench/rivals/lock-system.ts';
import { holdfastEmbedded } from '../../bench/rivals/systems/holdfast.ts';
import { contendedCharts } from '../../bench/rivals/workloads/contended-charts.ts';
import { contendedFigures } from '../../bench/rivals/workloads/contended-figures.ts';
import type { Counted, Measured, Paced } from '../../bench/rivals/workloads/contests.ts';

const slow = { name: 'slow, defaults', kind: 'rival', sdk: 'v2', waitsMs: 10_000 } as LockSystem;
const fair = { name: 'fast, fair', kind: 'rival', sdk: 'v3', waitsMs: 50 } as LockSystem;

const summary = (given: Partial<ContentionSummary>): ContentionSummary => ({
  grants: 50,
  grantsPerSecond: 10,
  handOvers: 49,
  handOverP50Ms: 30,
  handOverP99Ms: Number.NaN,
  handOverLongestMs: 90,
  handOverFromAskedP50Ms: 50,
  handOverFromAskedP99Ms: Number.NaN,
  handOverFromAskedLongestMs: 110,
  foundFree: 0,
  regrabs: 0,
  overlaps: 0,
  overtakings: 0,
  fairness: 1,
  longestWaitMs: 500,
  failed: 0,
  errors: [],
  ...given,
});
const from = (handOverP50Ms: number, handOverFromAskedP50Ms: number) =>
  summary({ handOverP50Ms, handOverFromAskedP50Ms });
const nobody = summary({ handOvers: 0, handOverP50Ms: Number.NaN, handOverFromAskedP50Ms: Number.NaN });
const measured = (
  system: LockSystem,
  summaries: ContentionSummary[],
  manner: Measured['manner'] = 'several processes',
): Measured => ({ system, contenders: 8, manner, summaries });
const ours = measured(holdfastEmbedded, [from(30, 50)]);

const figuresOf = ({ times = [] as Measured[], counted = [] as Counted[], paced = [] as Paced[] }) =>
  contendedFigures({ times, counted, paced });
const rowOf = (each: Measured) => figuresOf({ times: [each] })[0]?.measured;

describe('a row of contenders', () => {
  it('has hand-overs from the end of release() and from its call, and how many there were', () => {
    expect(rowOf(ours)).toMatch(
      /^hand-over from the end of release\(\) 30\.0 ms, longest 90\.0 ms; from its call 50\.0 ms, longest 110 ms; 49 hand-overs; /,
    );
  });

  it('has a p99 only where every repetition has one', () => {
    const enough = summary({ handOverP99Ms: 80, handOverFromAskedP99Ms: 100 });
    expect(rowOf(measured(fair, [enough, enough]))).toContain(
      '30.0 ms, p99 80.0 ms; from its call 50.0 ms, p99 100 ms',
    );
    expect(rowOf(measured(fair, [enough, summary({})]))).not.toContain('p99');
  });

  it('has the longest of all repetitions', () => {
    const row = rowOf(
      measured(
        fair,
        [1, 2, 9].map((times) => summary({ handOverLongestMs: times * 100, longestWaitMs: times * 1_000 })),
      ),
    );
    expect(row).toContain('longest 900 ms');
    expect(row).toContain('longest wait 9000 ms');
  });

  it('of one client has them from the call of release() alone: the next has it before that returns', () => {
    const row = rowOf(measured(holdfastEmbedded, [from(-1, 5)], 'one client'));
    expect(row).toMatch(/^hand-over from the call of release\(\) 5\.00 ms, longest 110 ms; 49 hand-overs; /);
  });

  it('says so where nobody who waited got it', () => {
    expect(rowOf(measured(fair, [nobody]))).toMatch(/^nobody who waited got it; /);
  });
});

describe('the verdict on hand-overs', () => {
  const against = (times: Measured[], paced: Paced[] = []) =>
    figuresOf({ times, paced }).filter(({ target }) => target?.endsWith(' ×'));

  it('against a default is met where it is met from both moments', () => {
    expect(against([ours, measured(slow, [from(300, 500)])])).toEqual([
      {
        figure: '8 contenders: hand-over of slow, defaults, by Holdfast embedded’s',
        target: '≥ 10 ×',
        measured: 'from the end of release() 10.00 × (300 ms by 30.0 ms); from its call 10.00 × (500 ms by 50.0 ms)',
        met: true,
      },
    ]);
  });

  it.each([
    [300, 499],
    [299, 500],
  ])('against a default is missed where it is missed from one of them: %j ms and %j ms', (end, call) => {
    expect(against([ours, measured(slow, [from(end, call)])])).toMatchObject([{ met: false }]);
  });

  it('against a default is met where nobody but the first ever got that', () => {
    expect(against([ours, measured(slow, [nobody])])).toMatchObject([
      { measured: expect.stringContaining('nobody who waited got it'), met: true },
    ]);
  });

  it('is missed where nobody got Holdfast’s', () => {
    expect(against([measured(holdfastEmbedded, [nobody]), measured(slow, [from(300, 500)])])).toMatchObject([
      { met: false },
    ]);
  });

  it.each([
    [30, 50, true],
    [29, 50, false],
    [30, 49, false],
  ])('at equal requests is met where Holdfast is slower from neither: %j ms and %j ms', (end, call, met) => {
    const pace = { pollMs: 7, cost: { requestsPerSecond: 90 } as ContentionCost };
    const paced = { ...measured(fair, [from(end, call)]), pace, requestsPerSecond: 100 };
    expect(against([ours], [paced])).toMatchObject([{ target: '≤ 1 ×', met }]);
  });

  it('there is none against fair settings, but both ratios, each within its repetition', () => {
    const times = [
      measured(holdfastEmbedded, [from(30, 50), from(60, 100), from(10, 20)]),
      measured(fair, [from(15, 50), from(60, 50), from(20, 20)]),
    ];
    const row = figuresOf({ times }).find(
      ({ figure }) => figure === '8 contenders: hand-over of fast, fair, by Holdfast embedded’s',
    );
    expect(row).not.toHaveProperty('target');
    expect(row?.measured).toBe(
      'from the end of release() 1.00 × (0.50 × to 2.00 ×); 20.0 ms by 30.0 ms; from its call 1.00 × (0.50 × to 1.00 ×); 50.0 ms by 50.0 ms',
    );
  });
});

describe('what Holdfast promises', () => {
  const counted = (system: LockSystem, passed: number, overlaps = 0): Counted => ({
    system,
    contenders: 8,
    cost: {
      requestsPerSecond: 100,
      requestsPerGrant: 10,
      unitsPerGrant: 9,
      consistentReadsPerGrant: 2,
      apiRequestsPerGrant: 4,
      passedInLine: { passed, looks: 400 },
      summary: summary({ grants: 7, overlaps }),
    },
  });
  const promiseOf = (all: readonly Counted[], what: string) =>
    figuresOf({ times: [ours], counted: [...all] }).find(({ figure }) => figure.includes(what));

  it('stands with the looks and the grants of the system it is about', () => {
    const overHttp = { ...holdfastEmbedded, name: 'another' };
    expect(promiseOf([counted(holdfastEmbedded, 0), counted(overHttp, 3)], 'stored line')).toMatchObject({
      figure: 'Holdfast embedded: got the lock from behind others in its stored line',
      measured:
        '0, by 400 looks at the line during 7 grants; before somebody who had asked 250 ms earlier: 0 of 50 other grants',
      met: true,
    });
    expect(promiseOf([counted(holdfastEmbedded, 1)], 'stored line')).toMatchObject({ met: false });
  });

  it('counts two holders at once among all grants, those of the counted runs too', () => {
    expect(promiseOf([counted(holdfastEmbedded, 0)], 'two holders')).toMatchObject({
      measured: '0 of all 57 grants',
      met: true,
    });
    expect(promiseOf([counted(holdfastEmbedded, 0, 1)], 'two holders')).toMatchObject({
      measured: '1 of all 57 grants',
      met: false,
    });
  });
});

describe('the charts of contenders', () => {
  it('have hand-overs from both moments, without those that no axis by powers of ten can show', () => {
    const charts = contendedCharts({ times: [ours, measured(fair, [from(-1, 4)])], counted: [], paced: [] });
    expect(charts.map(({ file, series }) => [file, series.map(({ name }) => name)])).toEqual([
      ['contended-hand-over', ['Holdfast embedded']],
      ['contended-hand-over-from-call', ['Holdfast embedded', 'fast, fair']],
      ['contended-grants', ['Holdfast embedded', 'fast, fair']],
    ]);
  });
});
