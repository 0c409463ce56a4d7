import type { BackendUnderTest } from './backends/backend-under-test.ts';
import { lockContract } from './backends/contract.ts';
import { startEmbeddedBackend } from './backends/embedded-backend-under-test.ts';
import { processesContract } from './backends/processes.ts';

describe('embedded', () => {
  let backend: BackendUnderTest;
  beforeAll(async () => {
    backend = await startEmbeddedBackend();
  });
  afterAll(() => backend.close());

  lockContract(() => backend);
  processesContract(() => backend);
});
