import { breakContract } from './break.ts';
import { claimContract } from './claim.ts';
import { fenceContract } from './fence.ts';
import { idsContract } from './ids.ts';
import { readAndListContract } from './read-and-list.ts';
import { releaseContract } from './release.ts';
import { renewContract } from './renew.ts';
import type { OpenStore } from './store-under-test.ts';

/** What every lock store does, whatever it keeps its locks in. */
export function lockStoreContract(open: OpenStore): void {
  claimContract(open);
  renewContract(open);
  releaseContract(open);
  breakContract(open);
  fenceContract(open);
  readAndListContract(open);
  idsContract(open);
}
