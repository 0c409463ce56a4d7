// A script for Node as it is, with no build step, that nobody hands a lock factory: it looks one up by name.
//
//   npm start                                                        # in one terminal: the service
//   npm run build                                                    # in another, in a clone: makes the package "holdfast"
//   export HOLDFAST_URL=http://127.0.0.1:3000
//   echo 0 > /tmp/count
//   node sdk/examples/shared-counter/script.mjs /tmp/count 100

import { readFile, writeFile } from 'node:fs/promises';
import { LockFactory, registry } from 'holdfast';

// Run by itself, the script is the program that registers the factory; inside another, it uses what is there.
const name = '_muleLockFactory';
if (!registry.lookupByName(name).isPresent()) registry.register(name, LockFactory.fromEnv());

const locks = registry.lookupByName(name).get();
const [file, times] = process.argv.slice(2);
for (let done = 0; done < Number(times); done++) {
  const lock = locks.createLock('shared-counter');
  await lock.lock();
  try {
    const count = Number(await readFile(file, 'utf8'));
    await writeFile(file, String(count + 1));
  } finally {
    await lock.unlock();
  }
}
console.log(`the script added ${times}`);
