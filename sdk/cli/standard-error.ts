import { constants, fstatSync, openSync, write } from 'node:fs';
import { displayText } from '../index.ts';

const againInMs = 20;
const writtenWithinMs = 1_000;

/**
 * What the command says about itself, on the standard error.
 *
 * Not through `process.stderr`: that may make the file that it shares with the command that runs non-blocking, whose
 * writes would then fail, or wait for a reader while leases have to be renewed. Here one write at a time waits in the
 * background, and one into a pipe that is full can be given up; texts keep their order.
 */
export class StandardError {
  readonly #isJson: boolean;
  // Opened when there is something to say.
  #fd: number | undefined;
  #last: Promise<void> = Promise.resolve();
  #isClosed = false;

  /** @param isJson whether programs read it, one object per line */
  constructor(isJson: boolean) {
    this.#isJson = isJson;
  }

  get isJson(): boolean {
    return this.#isJson;
  }

  /** Says something to people; silent for programs. */
  say(text: string): void {
    if (!this.#isJson) this.write(`holdfast: ${displayText(text)}\n`);
  }

  /** Tells programs of something; silent for people. */
  tell(event: string, fields: Readonly<Record<string, unknown>>): void {
    if (this.#isJson) this.write(`${JSON.stringify({ event, ...fields })}\n`);
  }

  /** Writes text as it is. */
  write(text: string): void {
    this.#last = this.#last.then(() => this.#writeAll(Buffer.from(text)));
  }

  /** Resolves when everything is written or can never be, and in the end although nobody reads it. */
  async written(): Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    const over = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, writtenWithinMs);
    });
    await Promise.race([this.#last, over]);
    clearTimeout(timer);
  }

  #writeAll(bytes: Buffer): Promise<void> {
    if (this.#isClosed) return Promise.resolve();
    this.#fd ??= openStandardError();
    const fd = this.#fd;
    return new Promise((resolve) => {
      const next = (at: number) => {
        if (at >= bytes.length) return resolve();
        write(fd, bytes, at, (error, count) => {
          if (!error) return next(at + count);
          if (error.code === 'EAGAIN') return void setTimeout(() => next(at), againInMs);
          // Nobody reads it any more, which is no reason to stop.
          this.#isClosed = true;
          resolve();
        });
      };
      next(0);
    });
  }
}

// A pipe anew, so that a write into it never blocks, and no flag of it is shared with others. (Linux; elsewhere as it is.)
function openStandardError(): number {
  try {
    if (fstatSync(2).isFIFO()) return openSync('/proc/self/fd/2', constants.O_WRONLY | constants.O_NONBLOCK);
  } catch {
    // Such as a pipe of another user.
  }
  return 2;
}
