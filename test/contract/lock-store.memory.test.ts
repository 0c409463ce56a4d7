import { lockStoreContract } from './lock-store/contract.ts';
import { openMemoryStore } from './lock-store/memory-store-under-test.ts';

describe('memory', () => lockStoreContract(openMemoryStore));
