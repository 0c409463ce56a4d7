import { type ParseArgsConfig, parseArgs } from 'node:util';

/** A command line that cannot be followed: its message, one sentence, is all that whoever wrote it needs. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/**
 * Reads a command line as `parseArgs` does.
 *
 * @throws UsageError where that throws
 */
export function readArguments<T extends ParseArgsConfig>(config: T): ReturnType<typeof parseArgs<T>> {
  try {
    return parseArgs(config);
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException;
    if (!code.startsWith('ERR_PARSE_ARGS_')) throw error;
    // What follows is advice about arguments that no benchmark has.
    throw new UsageError(message.split(/\.?\s*\n|\. /)[0], { cause: error });
  }
}
