import { encodeLockId } from '../../../sdk/wire/lock-id.ts';

/** The prefix that the callers were granted. */
export const lockPrefix = 'billing/';

export const useKey = { accessKeyId: 'AKIDUSE', secretAccessKey: 'secret-of-use' };
export const readKey = { accessKeyId: 'AKIDREAD', secretAccessKey: 'secret-of-read' };

const prefixed = `${encodeLockId(lockPrefix)}*`;

/** What grants of use and of read allow, as method and path of a resource. */
export const mayUse = [
  ...['try', 'acquire', 'renew', 'release'].map((name) => `POST/v1/locks/${prefixed}/${name}`),
  `GET/v1/locks/${prefixed}`,
];
export const mayRead = [`GET/v1/locks/${prefixed}`];

/** The options that name them. */
export const callerOptions = ['--use-profile', 'use', '--read-profile', 'read', '--lock-prefix', lockPrefix];
