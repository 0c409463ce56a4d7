import type { NetworkFault } from '../fault-plan.ts';
import { shape } from '../shape.ts';
import { dynamoDbFaults, dynamoDbThrottles, gatewayFaults, gatewayThrottles } from './canned-answers.ts';
import type { LinkFault } from './link.ts';

/** What a planned fault means to the links that it is planned for. */
export function linkFault({ kind, layer, share }: Pick<NetworkFault, 'kind' | 'layer' | 'share'>): LinkFault {
  const ofApi = layer === 'api';
  switch (kind) {
    case 'partition':
      return { kind: 'black-hole', share };
    case 'delay':
    case 'duplicate':
      return { kind, share, ms: shape.delayMs };
    case 'error':
      return { kind: 'answer', share, answers: ofApi ? gatewayFaults : dynamoDbFaults };
    case 'error-after':
      return { kind: 'answer-after', share, answers: ofApi ? gatewayFaults : dynamoDbFaults };
    case 'throttle':
      return { kind: 'answer', share, answers: ofApi ? [gatewayThrottles] : dynamoDbThrottles };
    default:
      return { kind, share };
  }
}
