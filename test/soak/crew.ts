import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setEnvironment } from '../../lambda/local/functions.ts';
import { ensureTable } from '../../lambda/local/table.ts';
import { environmentNames } from '../../lambda/names.ts';
import type { Place } from '../bench/place.ts';
import type { StackReport } from '../bench/processes.ts';
import { Link } from '../chaos/run/network/link.ts';
import { Program } from '../chaos/run/programs/program.ts';
import { seededRandom } from '../support/seeded-random.ts';
import type { Work, WorkerCommand, WorkerReport, WorkerTask } from './messages.ts';
import { shape } from './shape.ts';

const execArgv = ['--import', 'tsx', '--expose-gc'];
const chaosPrograms = join(import.meta.dirname, '../chaos/run/programs');
const table = 'soak-locks';

export interface Worker {
  readonly name: string;
  readonly program: Program<WorkerReport>;
}

/** The processes of a soak, and the networks between them. */
export class Crew {
  /** They last as long as the soak. */
  readonly workers: Worker[] = [];
  readonly passersBy: Worker[] = [];
  readonly links: { api: Link[]; database: Link[] } = { api: [], database: [] };
  /** What processes said that no fault explains. */
  readonly complaints: string[] = [];
  database!: Program<{ readonly kind: 'ready'; readonly endpoint: string }>;
  stack!: Program<StackReport>;
  readonly #counterFile: string;
  readonly #random: () => number;
  #apiUrl = '';

  private constructor(counterFile: string, random: () => number) {
    this.#counterFile = counterFile;
    this.#random = random;
  }

  /** Starts all of them: the database over a folder, as the local stack has it with `--data`. */
  static async start(folder: string, counterFile: string, seed: number): Promise<Crew> {
    const crew = new Crew(counterFile, seededRandom(seed));
    const data = join(folder, 'data');
    await mkdir(data);
    crew.database = new Program({
      file: join(chaosPrograms, 'database.ts'),
      args: [data],
      execArgv,
      complain: crew.#complain('database'),
    });
    const { endpoint } = await crew.database.report('ready');
    // Nothing here speaks to AWS.
    setEnvironment(process.env, { endpoint, authorization: 'none' });
    await ensureTable(endpoint, table);
    const stackLink = await crew.#link('database', 'the API to the database', () => endpoint);
    crew.stack = new Program({
      file: join(import.meta.dirname, '../bench/stack.ts'),
      args: ['--port', '0', '--dynamodb', stackLink.endpoint],
      env: { [environmentNames.table]: table },
      execArgv,
      complain: crew.#complain('API'),
    });
    const { url } = await crew.stack.report('ready');
    crew.#apiUrl = url;
    for (let at = 0; at < shape.httpWorkers; at++) {
      const link = await crew.#link('api', `worker ${at + 1} to the API`, () => url);
      crew.workers.push(await crew.#worker(`worker ${at + 1}`, { kind: 'http', url: link.endpoint }, true));
    }
    for (let at = 0; at < shape.embeddedWorkers; at++) {
      const name = `embedded worker ${at + 1}`;
      const link = await crew.#link('database', `${name} to the database`, () => endpoint);
      crew.workers.push(await crew.#worker(name, { kind: 'embedded', endpoint: link.endpoint, table }, true));
    }
    for (let at = 0; at < shape.passersBy; at++) await crew.startPasserBy(at);
    return crew;
  }

  /** Starts one, in the place of the one before it. */
  async startPasserBy(at: number): Promise<void> {
    this.passersBy[at] = await this.#worker(`passer-by ${at + 1}`, { kind: 'http', url: this.#apiUrl }, false);
  }

  /** Ends the workers by themselves, and gives what they did. */
  async end(): Promise<Work[]> {
    const everybody = [...this.workers, ...this.passersBy];
    return Promise.all(
      everybody.map(async ({ program }) => {
        const ended = program.report('ended', AbortSignal.timeout(60_000));
        program.tell({ kind: 'end' } satisfies WorkerCommand);
        const work = await ended;
        await program.exited();
        return work;
      }),
    );
  }

  async stop(): Promise<void> {
    await Promise.all([this.stack.kill(), this.database.kill()]);
    await Promise.all([...this.links.api, ...this.links.database].map((link) => link.stop()));
  }

  async #link(layer: 'api' | 'database', name: string, upstream: () => string): Promise<Link> {
    const link = await Link.start({ name, upstream, random: this.#random });
    this.links[layer].push(link);
    return link;
  }

  async #worker(name: string, place: Place, counts: boolean): Promise<Worker> {
    const task: WorkerTask = {
      name,
      place,
      seed: Math.floor(2 ** 32 * this.#random()),
      ...(counts && { counterFile: this.#counterFile }),
    };
    const program = new Program<WorkerReport>({
      file: join(import.meta.dirname, 'worker.ts'),
      args: [JSON.stringify(task)],
      execArgv,
      complain: this.#complain(name),
    });
    await program.report('ready');
    return { name, program };
  }

  #complain(name: string): (text: string) => void {
    return (text) => this.complaints.push(`${name}: ${text}`);
  }
}
