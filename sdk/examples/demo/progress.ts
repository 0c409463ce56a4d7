/** A line of progress: updated in place on a terminal, written once at its end elsewhere. */
export class Progress {
  readonly #label: string;
  readonly #total: number;
  #done = 0;

  constructor(label: string, total: number) {
    this.#label = label;
    this.#total = total;
    this.#show();
  }

  step(): void {
    this.#done++;
    this.#show();
  }

  end(text: string): void {
    this.#write(`${this.#label}: ${text}`);
    process.stdout.write('\n');
  }

  #show(): void {
    const text = `${this.#label}: ${this.#done} of ${this.#total}`;
    if (process.stdout.isTTY) this.#write(text);
    else if (this.#done % 75 === 0) process.stdout.write(`${text}\n`);
  }

  #write(text: string): void {
    process.stdout.write(process.stdout.isTTY ? `\r\u001b[2K${text}` : text);
  }
}
