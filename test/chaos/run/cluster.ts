import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setEnvironment } from '../../../lambda/local/functions.ts';
import { ensureTable } from '../../../lambda/local/table.ts';
import { environmentNames } from '../../../lambda/names.ts';
import type { StackReport } from '../../bench/processes.ts';
import { hostMs } from '../../support/host-clock.ts';
import type { HistoryEvent } from '../history.ts';
import type { Link } from './network/link.ts';
import { type Networks, startNetworks } from './network/networks.ts';
import { type Bundles, buildBundles } from './programs/bundles.ts';
import { Program } from './programs/program.ts';
import { chance, clockOffset, shape, workers } from './shape.ts';
import type { WorkerCommand, WorkerReport, WorkerTask } from './worker/messages.ts';
import { Recorder } from './worker/recorder.ts';

export const tables = { locks: 'chaos-locks', resource: 'chaos-resource' } as const;

const launchesAtMost = 5;

type DatabaseReport = { readonly kind: 'ready'; readonly endpoint: string };

/** The present incarnation of a process, such as `w3.2`. */
export interface Incarnation<Report extends { readonly kind: string }> {
  /** In the history. */
  readonly name: string;
  readonly program: Program<Report>;
  /** How many there were, this one included. */
  readonly count: number;
}

export interface ApiIncarnation extends Incarnation<StackReport> {
  readonly url: string;
}

/** The processes of a chaos run, and the networks between them. */
export class Cluster {
  readonly recorder: Recorder;
  readonly workers: Incarnation<WorkerReport>[] = [];
  readonly apis: ApiIncarnation[] = [];
  networks!: Networks;
  /** Of processes, about what no fault of the run explains. */
  readonly complaints: string[] = [];
  readonly #folder: string;
  readonly #seed: number;
  readonly #chooseApi: () => number;
  readonly #isBeyondMargin: boolean;
  readonly #historyFiles: string[];
  #bundles!: Bundles;
  #database!: Program<DatabaseReport>;
  #databaseUrl: string | undefined;
  #isSeason = true;

  private constructor(folder: string, seed: number, isBeyondMargin: boolean) {
    this.#folder = folder;
    this.#seed = seed;
    this.#chooseApi = chance(seed, 'which API');
    this.#isBeyondMargin = isBeyondMargin;
    this.#historyFiles = [this.#historyFile('run')];
    this.recorder = new Recorder('run', this.#historyFile('run'));
  }

  /** Starts everything but the workers. */
  static async start(folder: string, seed: number, isBeyondMargin: boolean): Promise<Cluster> {
    await mkdir(folder, { recursive: true });
    const cluster = new Cluster(folder, seed, isBeyondMargin);
    cluster.#bundles = await buildBundles(join(folder, 'programs'));
    await cluster.startDatabase();
    // Nothing here speaks to AWS.
    setEnvironment(process.env, { endpoint: cluster.databaseUrl, authorization: 'none' });
    for (const table of Object.values(tables)) await ensureTable(cluster.databaseUrl, table);
    const servers = { api: () => cluster.#apiUrl, database: () => cluster.databaseUrl };
    cluster.networks = await startNetworks(seed, servers, (event) => cluster.recorder.write(event));
    for (let api = 0; api < shape.apis; api++) await cluster.startApi(api);
    return cluster;
  }

  get isDatabaseUp(): boolean {
    return this.#databaseUrl !== undefined;
  }

  /** Past all networks. */
  get databaseUrl(): string {
    if (this.#databaseUrl === undefined) throw new Error('the database is away');
    return this.#databaseUrl;
  }

  /** One of the APIs, whether it is there or not. */
  get #apiUrl(): string {
    const api = this.apis[Math.floor(this.#chooseApi() * this.apis.length)];
    if (!api) throw new Error('there is no API');
    return api.url;
  }

  get historyFiles(): readonly string[] {
    return this.#historyFiles;
  }

  async startWorkers(): Promise<void> {
    await Promise.all(Array.from({ length: workers }, (_, worker) => this.startWorker(worker)));
  }

  /** Whether the workers want the seasonal lock. */
  set isSeason(isSeason: boolean) {
    this.#isSeason = isSeason;
    for (const { program } of this.workers) program.tell({ kind: 'season', isSeason } satisfies WorkerCommand);
  }

  get isSeason(): boolean {
    return this.#isSeason;
  }

  async startWorker(worker: number): Promise<void> {
    const { count = 0 } = this.workers[worker] ?? {};
    const name = `w${worker}.${count + 1}`;
    this.#historyFiles.push(this.#historyFile(name));
    const clockOffsetMs = clockOffset(chance(this.#seed, `clock of ${name}`), this.#isBeyondMargin);
    const program = new Program<WorkerReport>({
      file: this.#bundles.worker,
      args: [JSON.stringify(this.#taskOf(worker, name))],
      ...this.#withClock(clockOffsetMs),
      complain: this.#complain(name),
    });
    await program.report('ready');
    // Nothing strikes it before.
    this.workers[worker] = { name, program, count: count + 1 };
  }

  async startApi(api: number): Promise<void> {
    const { count = 0 } = this.apis[api] ?? {};
    const name = `api${api}.${count + 1}`;
    const clockOffsetMs = clockOffset(chance(this.#seed, `clock of ${name}`), this.#isBeyondMargin);
    const { program, url } = await this.#launchApi(name, this.networks.database[api] as Link, clockOffsetMs);
    this.tell({ type: 'process', role: 'service', pid: program.pid, clockOffsetMs }, name);
    this.apis[api] = { name, program, count: count + 1, url };
  }

  // A local stack makes its table before it serves, which Lambda's functions do not: it starts behind a whole network, and
  // again where the database was away just then.
  async #launchApi(
    name: string,
    link: Link,
    clockOffsetMs: number,
  ): Promise<{ program: Program<StackReport>; url: string }> {
    let isUp = false;
    for (let attempt = 1; ; attempt++) {
      const program = new Program<StackReport>({
        file: this.#bundles.stack,
        args: ['--port', '0', '--dynamodb', link.endpoint],
        ...this.#withClock(clockOffsetMs, { [environmentNames.table]: tables.locks }),
        complain: (text) => {
          if (isUp) this.#complain(name)(text);
        },
      });
      try {
        const { url } = await link.shielded(() => program.report('ready'));
        isUp = true;
        return { program, url };
      } catch (error) {
        if (attempt === launchesAtMost) throw error;
      }
    }
  }

  /** kill -9. */
  async kill({ program, name }: Incarnation<WorkerReport> | ApiIncarnation): Promise<void> {
    await program.kill();
    this.tell({ type: 'processEnd', gone: name, how: 'killed' });
  }

  async startDatabase(): Promise<void> {
    this.#database = new Program<DatabaseReport>({
      file: this.#bundles.database,
      args: [join(this.#folder, 'data')],
      ...this.#withClock(0),
      complain: this.#complain('database'),
    });
    this.#databaseUrl = (await this.#database.report('ready')).endpoint;
  }

  async killDatabase(): Promise<void> {
    this.#databaseUrl = undefined;
    await this.#database.kill();
  }

  /** Writes an event down, as seen by the run itself unless another process is named. */
  tell(event: Parameters<Recorder['tell']>[0], process = 'run'): void {
    this.recorder.write({ ...event, atMs: hostMs(), process } as HistoryEvent);
  }

  async stop(): Promise<void> {
    const programs = [...this.workers, ...this.apis].map(({ program }) => program);
    await Promise.all([...programs, this.#database].map((program) => program.kill()));
    const { api, database, resource } = this.networks;
    await Promise.all([...api, ...database, resource].map((link) => link.stop()));
    this.recorder.close();
  }

  #taskOf(worker: number, name: string): WorkerTask {
    const embedded = this.networks.database[shape.apis + worker - shape.httpWorkers];
    return {
      name,
      seed: Math.floor(2 ** 32 * chance(this.#seed, name)()),
      connection:
        worker < shape.httpWorkers
          ? { kind: 'http', url: this.networks.api[worker]?.endpoint ?? '' }
          : { kind: 'embedded', endpoint: embedded?.endpoint ?? '', table: tables.locks },
      resource: { endpoint: this.networks.resource.endpoint, table: tables.resource },
      lockIds: shape.lockIds,
      seasonalLockId: shape.seasonalLockId,
      isSeason: this.#isSeason,
      flows: shape.flowsPerWorker,
      leaseMs: shape.leaseMs,
      historyFile: this.#historyFile(name),
    };
  }

  // A module that is loaded first sets the clock.
  #withClock(clockOffsetMs: number, env: Readonly<Record<string, string>> = {}) {
    return {
      execArgv: ['--require', this.#bundles.clock],
      env: { ...env, CHAOS_CLOCK_OFFSET_MS: String(clockOffsetMs) },
    };
  }

  #complain(name: string): (text: string) => void {
    return (text) => this.complaints.push(`${name}: ${text}`);
  }

  #historyFile(name: string): string {
    return join(this.#folder, `${name}.jsonl`);
  }
}
