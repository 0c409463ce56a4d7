/** What the command reads from its environment. What the SDK reads by itself is not here. */
export const environment = {
  get url(): string | undefined {
    return process.env['HOLDFAST_URL'] || undefined;
  },

  /** `--url` is the same as the variable, also for the command that runs under a lock. */
  set url(url: string) {
    process.env['HOLDFAST_URL'] = url;
  },

  /** Whether the SDK finds AWS credentials in the environment by itself. */
  get hasCredentials(): boolean {
    return Boolean(process.env['AWS_ACCESS_KEY_ID'] && process.env['AWS_SECRET_ACCESS_KEY']);
  },

  /** Whether output for people may be coloured, see https://no-color.org. */
  get mayColour(): boolean {
    return !process.env['NO_COLOR'];
  },

  /** Whether the terminal understands no escape sequences. */
  get isDumbTerminal(): boolean {
    return process.env['TERM'] === 'dumb';
  },

  /** The environment of a program that is started from here. */
  with(variables: Readonly<Record<string, string>>): Record<string, string | undefined> {
    return { ...process.env, ...variables };
  },
};
