import { breakContract } from './break.ts';
import { claimContract } from './claim.ts';
import { claimAsHeadContract } from './claim-as-head.ts';
import { claimPastContract } from './claim-past.ts';
import { fenceContract } from './fence.ts';
import { handOverContract } from './hand-over.ts';
import { idsContract } from './ids.ts';
import { joinContract } from './join.ts';
import { keepTicketContract } from './keep-ticket.ts';
import { leaveContract } from './leave.ts';
import { ownerTokensContract } from './owner-tokens.ts';
import { readAndListContract } from './read-and-list.ts';
import { releaseContract } from './release.ts';
import { releasePastContract } from './release-past.ts';
import { removeContract } from './remove.ts';
import { renewContract } from './renew.ts';
import type { OpenStore } from './store-under-test.ts';
import { transferContract } from './transfer.ts';

/** What every lock store does, whatever it keeps its locks in. */
export function lockStoreContract(open: OpenStore): void {
  claimContract(open);
  claimAsHeadContract(open);
  claimPastContract(open);
  joinContract(open);
  keepTicketContract(open);
  leaveContract(open);
  renewContract(open);
  releaseContract(open);
  handOverContract(open);
  releasePastContract(open);
  transferContract(open);
  breakContract(open);
  removeContract(open);
  fenceContract(open);
  readAndListContract(open);
  idsContract(open);
  ownerTokensContract(open);
}
