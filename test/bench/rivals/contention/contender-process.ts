import { Child } from '../../processes.ts';
import type { ContenderCommand, ContenderPlace, ContenderReport } from './contender-messages.ts';

/** Contenders for one lock, in a process of their own. */
export class ContenderProcess extends Child<ContenderReport> {
  private constructor({ ground: { endpoint, table, url }, ...rest }: ContenderPlace) {
    // A ground may have more about it, which is nothing for another process.
    const place: ContenderPlace = { ...rest, ground: { endpoint, table, url } };
    super('rivals/contention/contender.ts', [JSON.stringify(place)]);
  }

  /** Resolves when each of them has taken and released a lock of its own. */
  static async start(place: ContenderPlace): Promise<ContenderProcess> {
    const contenders = new ContenderProcess(place);
    await contenders.report('ready');
    return contenders;
  }

  send(command: ContenderCommand): void {
    this.tell(command);
  }
}
