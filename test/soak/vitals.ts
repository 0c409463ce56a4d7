import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

/** What the operating system says of a process. */
export interface Vitals {
  readonly residentMiB: number;
  readonly sockets: number;
  /** All open files, sockets among them. */
  readonly files: number;
}

/** Reads them. Linux only. */
export function vitalsOf(pid: number): Vitals {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const folder = `/proc/${pid}/fd`;
  const files = readdirSync(folder);
  return {
    residentMiB: Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024,
    sockets: files.filter((file) => isSocket(`${folder}/${file}`)).length,
    files: files.length,
  };
}

function isSocket(path: string): boolean {
  try {
    return readlinkSync(path).startsWith('socket:');
  } catch {
    // Closed since the folder was read.
    return false;
  }
}
