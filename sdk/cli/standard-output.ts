/** Nobody reads the output any more, as with `| head -1`. */
export class OutputClosedError extends Error {
  override name = 'OutputClosedError' as const;
}

/** The output or a lease file cannot be written; the message says what became of the lock, if anything did. */
export class OutputError extends Error {
  override name = 'OutputError' as const;
}

/**
 * Prints what was asked for, and waits until it is out.
 *
 * @throws OutputClosedError when whoever read it has gone
 * @throws OutputError for any other fault, such as a disk that is full
 */
export function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    // Without a listener the error would be thrown where nobody catches it.
    if (process.stdout.listenerCount('error') === 0) process.stdout.on('error', () => undefined);
    process.stdout.write(text, (error) => {
      if (!error) resolve();
      else if ((error as NodeJS.ErrnoException).code === 'EPIPE') reject(new OutputClosedError());
      else reject(new OutputError(`the output cannot be written: ${error.message}`));
    });
  });
}

/** Prints an object on a line of its own. */
export function printJson(value: object): Promise<void> {
  return print(`${JSON.stringify(value)}\n`);
}
