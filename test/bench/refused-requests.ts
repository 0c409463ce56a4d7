import { lockPath, routes } from '../../sdk/wire/routes.ts';
import { hostMs } from '../support/host-clock.ts';

/** Sends requests that go all the way to the function, which refuses them; gives what each took, milliseconds. */
export async function refusedRequests(url: string, count: number): Promise<number[]> {
  const requestMs: number[] = [];
  for (let sent = 0; sent < count; sent++) {
    const startedMs = hostMs();
    const answer = await fetch(`${url}${lockPath(routes.release, 'bench/refused')}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{}',
    });
    await answer.text();
    requestMs.push(hostMs() - startedMs);
    if (answer.status !== 400) throw new Error(`an empty release must be refused with 400, got ${answer.status}`);
  }
  return requestMs;
}
