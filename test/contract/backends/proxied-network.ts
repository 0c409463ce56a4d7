import type { IncomingMessage } from 'node:http';
import { type FaultyProxy, type Fault as ProxyFault, startFaultyProxy } from '../../support/faulty-proxy.ts';
import type { ProxyAnswer } from '../../support/http-proxy.ts';
import type { Fault, Network, Step } from './network.ts';

/** How the server that is asked says these. */
export type Refusals = Readonly<Record<'throttled' | 'failed' | 'refused', ProxyAnswer>>;

export interface ProxiedNetwork extends Network {
  /** Where clients find the server behind this network. */
  readonly endpoint: string;
  stop(): Promise<void>;
}

/** A network of real connections: a proxy before a server. */
export async function startProxiedNetwork(
  upstream: string,
  stepOf: (request: IncomingMessage, body: Buffer) => Step,
  refusals: Refusals,
): Promise<ProxiedNetwork> {
  const proxy: FaultyProxy = await startFaultyProxy(upstream, stepOf);
  const faults: Readonly<Record<Fault, ProxyFault>> = {
    'lost-request': 'refuse',
    'lost-reply': 'drop-reply',
    reset: 'reset',
    'cut-off': 'swallow',
    silence: 'mute',
    'held-request': 'hold',
    'held-reply': 'hold-reply',
    ...refusals,
  };
  return {
    endpoint: proxy.endpoint,
    asked: proxy.operations as readonly Step[],
    trap(step, fault) {
      const { struck, passOn, forward } = proxy.setTrap(step, faults[fault]);
      return {
        struck,
        async letThrough() {
          if (fault === 'held-request') await forward();
          else passOn();
        },
      };
    },
    setRule(rule = () => undefined) {
      proxy.setRule((operation) => {
        const fault = rule(operation as Step);
        return fault && faults[fault];
      });
    },
    dropConnections: () => proxy.dropConnections(),
    async replay(index) {
      await proxy.replay(index);
    },
    stop: () => proxy.stop(),
  };
}
