import { once } from 'node:events';
import { createServer } from 'node:net';
import { vitalsOf } from './vitals.ts';

describe('what the system says of a process', () => {
  it('counts a socket that is opened, also among the files, and no more once it is closed', async () => {
    const before = vitalsOf(process.pid);
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const open = vitalsOf(process.pid);
    server.close();
    await once(server, 'close');
    expect(open.sockets - before.sockets).toBe(1);
    expect(open.files).toBeGreaterThan(open.sockets);
    expect(vitalsOf(process.pid).sockets).toBe(before.sockets);
  });

  it('tells the memory that is resident', () => {
    const { rss } = process.memoryUsage();
    expect(vitalsOf(process.pid).residentMiB).toBeGreaterThan(rss / 2 ** 20 / 2);
    expect(vitalsOf(process.pid).residentMiB).toBeLessThan((rss / 2 ** 20) * 2);
  });

  it('throws for a process that is not there', () => {
    expect(() => vitalsOf(2 ** 22 + 1)).toThrow(/ENOENT/);
  });
});
