import type { BackendUnderTest } from './backends/backend-under-test.ts';
import { lockContract } from './backends/contract.ts';
import { startHttpBackend } from './backends/http-backend-under-test.ts';
import { processesContract } from './backends/processes.ts';

describe('HTTP', () => {
  let backend: BackendUnderTest;
  beforeAll(async () => {
    backend = await startHttpBackend();
  });
  afterAll(() => backend.close());

  lockContract(() => backend);
  processesContract(() => backend);
});
