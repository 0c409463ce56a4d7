import type { LockItem } from '../../lambda/service/lock-item.ts';
import { fingerprint } from './fingerprint.ts';
import { keyOfItem } from './item-frame.ts';
import type { Process } from './process.ts';
import type { Mode, Scenario } from './scenario.ts';
import { keyOfCall, type StoreCall } from './store-call.ts';
import { inTicks, T0 } from './ticks.ts';

/** What a client is doing. */
export type Phase =
  /** Wants nothing now; asks (again) while it has acquisitions left. */
  | 'idle'
  /** Its try or acquire is under way. */
  | 'asking'
  /** Was told to ask again. */
  | 'away'
  /** Got no answer, and repeats with the same token. */
  | 'unanswered'
  /** Was granted the lock provisionally, and has to confirm. */
  | 'granted'
  /** Its confirming renewal is under way. */
  | 'confirming'
  | 'holding'
  | 'renewing'
  /** Its release is under way. */
  | 'releasing'
  /** Released its token while its request was under way, and waits for that to end. */
  | 'settling'
  /** Has to release (again). */
  | 'unreleased'
  /** Released, and its heir got nothing by that: it has to acquire by itself. */
  | 'inheriting'
  /** Has nothing left to want. */
  | 'done'
  | 'crashed';

export interface Client {
  readonly phase: Phase;
  /** Of its current acquisition; empty when there is none. */
  readonly token: string;
  readonly mode: Mode;
  readonly acquisitionsLeft: number;
  readonly renewalsLeft: number;
  readonly process?: Process | undefined;
  /** When it sent what its process is about. */
  readonly sentAt: number;
  /** It believes that it holds until then, by its own clock. */
  readonly deadline: number;
  readonly fence: number;
  /** It was told that it stands in line, and comes back to its place. */
  readonly inLine: boolean;
  /** What it repeats with: it tries first, and waits when that was refused. */
  readonly waits: boolean;
  readonly dueAt: number;
  /** Ticks that it let pass while it could have gone on, and old reads; 2 stands for more. */
  readonly late: number;
  /** Its hold was broken by an administrator. */
  readonly broken: boolean;
  /** This release is the last: nothing of its own can come after it. */
  readonly lastRelease: boolean;
  /** Token of whom its release names as the heir; empty when it names nobody. */
  readonly heir: string;
  /** The heir gave up. */
  readonly heirGone: boolean;
}

/** A write that arrives late, or never. */
export interface LateWrite {
  readonly call: StoreCall;
  readonly age: number;
}

/** Everything there is, at one moment. The true clock says {@link T0} in every state. */
export interface World {
  readonly item: LockItem | undefined;
  /** What an eventually consistent read may still see, latest first. */
  readonly past: readonly (LockItem | undefined)[];
  readonly clients: readonly Client[];
  /** Operations that go on although nobody waits for their answer. */
  readonly strays: readonly Process[];
  readonly late: readonly LateWrite[];
  readonly faultsLeft: number;
  readonly slowLeft: number;
  /** How far the last fence lies behind the true clock, milliseconds; kept only where items are deleted. */
  readonly fenceLagMs: number;
  /** How far each client's host is ahead; empty where every operation may run on any. Never changes. */
  readonly clocksMs: readonly number[];
}

export const idle: Omit<Client, 'acquisitionsLeft'> = {
  phase: 'idle',
  token: '',
  mode: 'try',
  renewalsLeft: 0,
  sentAt: 0,
  deadline: 0,
  fence: 0,
  inLine: false,
  waits: false,
  dueAt: 0,
  late: 0,
  broken: false,
  lastRelease: false,
  heir: '',
  heirGone: false,
};

export function beginning(scenario: Scenario): World {
  const { clients, acquisitions, faultBudget, slowBudget, roaming, clocksMs } = scenario;
  return {
    item: undefined,
    past: [],
    clients: Array.from({ length: clients }, () => ({ ...idle, acquisitionsLeft: acquisitions })),
    strays: [],
    late: [],
    faultsLeft: faultBudget,
    slowLeft: slowBudget,
    fenceLagMs: 0,
    clocksMs: roaming ? [] : clocksMs,
  };
}

/** It believes that it holds, by its own stricter clock; a broken holder is not asked. */
export function believes({ deadline, broken }: Client): boolean {
  return deadline > T0 && !broken;
}

/** It wants the lock and answers: its place is nobody else's to take. */
export function isWaiting({ phase, process }: Client): boolean {
  if (process?.aborted) return false;
  return phase === 'asking' || phase === 'away' || phase === 'unanswered';
}

/** It can go on now, if only it does. */
export function isDue({ phase, process, dueAt }: Client): boolean {
  switch (phase) {
    case 'unanswered':
    case 'granted':
    case 'unreleased':
    case 'inheriting':
      return true;
    case 'away':
      return dueAt <= T0;
    default:
      return process !== undefined && isReady(process);
  }
}

export function isReady({ pending }: Process): boolean {
  return pending.kind === 'call' || (pending.kind === 'sleep' && pending.wakeAt <= T0);
}

const firstToken = 0xe000;
const tokens = /[\ue000-\uf8ff]/g;

/** A token that nobody in this world knows; forgotten ones come back, so that the worlds are few. */
export function freshToken(world: World): string {
  const known = textOf(world);
  for (let code = firstToken; ; code++) {
    const token = String.fromCharCode(code);
    if (!known.includes(token)) return token;
  }
}

/** A number for the world, the same for every renaming of tokens, and of clients where their hosts are alike. */
export function keyOf(world: World): number {
  const texts = world.clients.map((client, index) => `${world.clocksMs[index] ?? ''}${textOfClient(client)}`);
  if (new Set(world.clocksMs).size === texts.length) return fingerprint(inOrder(texts, world), firstToken);
  // In the order of their shapes; where those are alike, in whichever gives the least number.
  const byShape = [...texts].sort((one, other) => compare(shapeOf(one), shapeOf(other)));
  const shapes = byShape.map(shapeOf);
  if (shapes.every((shape, index) => shape !== shapes[index + 1])) {
    return fingerprint(inOrder(byShape, world), firstToken);
  }
  const orders = permutations(byShape).filter((order) => order.every((text, index) => shapeOf(text) === shapes[index]));
  return Math.min(...orders.map((order) => fingerprint(inOrder(order, world), firstToken)));
}

/** Everything in it that decides what can happen. */
export function textOf(world: World): string {
  return inOrder(world.clients.map(textOfClient), world);
}

function inOrder(clients: readonly string[], world: World): string {
  const { item, past, strays, late, faultsLeft, slowLeft, fenceLagMs } = world;
  const fixed = `${clients.join('\n')}\n${keyOfItem(item)}\n${past.map(keyOfItem).join('|')}`;
  const deletion = fenceLagMs === 0 ? '' : `${fenceLagMs},${item === undefined ? '' : Math.max(T0 / 1_000, item.ttl)}`;
  const rest = `${faultsLeft},${slowLeft},${deletion}`;
  if (strays.length + late.length === 0) return `${fixed}\n\n\n${rest}`;
  const straying = unordered(
    fixed,
    strays.map(({ key, pendingFor }) => `${key}@${pendingFor}`),
  );
  const arriving = unordered(
    fixed,
    late.map(({ call, age }) => `${keyOfCall(call)}@${age}`),
  );
  return `${fixed}\n${straying}\n${arriving}\n${rest}`;
}

// In an order that does not depend on what tokens are called, but on where they stand in the text before.
function unordered(before: string, texts: readonly string[]): string {
  if (texts.length < 2) return texts.join();
  const ranked = texts.map((text) => ({ text, rank: text.replace(tokens, (token) => `<${rankOf(before, token)}>`) }));
  return ranked
    .sort((one, other) => compare(one.rank, other.rank))
    .map(({ text }) => text)
    .join('|');
}

function rankOf(text: string, token: string): number {
  return new Set(text.slice(0, text.indexOf(token) + 1).match(tokens)).size;
}

function textOfClient(client: Client): string {
  const { phase, token, mode, acquisitionsLeft, renewalsLeft, process, sentAt, deadline, dueAt, late } = client;
  const flags = `${client.inLine ? 'l' : ''}${client.waits ? 'w' : ''}${client.broken ? 'b' : ''}${client.lastRelease ? 'r' : ''}${client.heirGone ? 'g' : ''}`;
  const times = [sentAt, deadline, dueAt].map((time) => (time === 0 ? '' : inTicks(time))).join();
  return `${phase}${token}${client.heir}${mode}${acquisitionsLeft}${renewalsLeft}${flags}${times}f${client.fence}t${late}${process?.key ?? ''}`;
}

// Without the tokens, whose names say nothing.
function shapeOf(text: string): string {
  return text.replace(tokens, '*');
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

function permutations<T>(all: readonly T[]): T[][] {
  if (all.length < 2) return [[...all]];
  return all.flatMap((first, index) => permutations(all.toSpliced(index, 1)).map((rest) => [first, ...rest]));
}
