import type { BackendUnderTest } from './backends/backend-under-test.ts';
import { lockContract } from './backends/contract.ts';
import { startMemoryBackend } from './backends/memory-backend-under-test.ts';

describe('memory', () => {
  let backend: BackendUnderTest;
  beforeAll(async () => {
    backend = await startMemoryBackend();
  });
  afterAll(() => backend.close());

  lockContract(() => backend);
});
