import { runLocalStack } from '../../lambda/local/command.ts';

/**
 * Runs the lock service on this machine until it is asked to stop.
 *
 * @param args as for `npm start`
 */
export function local(args: readonly string[]): Promise<number> {
  return runLocalStack(args, 'holdfast local');
}
