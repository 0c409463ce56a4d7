// One counter, incremented by a class that is given its lock factory (counter.ts) and by a plain script that looks it up
// (script.mjs). The id of the lock is the same, so no increment is lost.
//
//   npm start                                                        # in one terminal: the service
//   npm run build                                                    # in another: the package that the script imports
//   export HOLDFAST_URL=http://127.0.0.1:3000
//   echo 0 > /tmp/count
//   node --import tsx sdk/examples/shared-counter/shared-counter.ts /tmp/count 100 &
//   node sdk/examples/shared-counter/script.mjs /tmp/count 100 & wait
//   cat /tmp/count                                                   # 200

import { LockFactory } from '../../index.ts';
import { Counter } from './counter.ts';

async function main([file = '', times = '100']: string[]): Promise<void> {
  const counter = new Counter(LockFactory.fromEnv(), file);
  for (let done = 0; done < Number(times); done++) await counter.increment();
  console.log(`the class added ${times}`);
}

void main(process.argv.slice(2));
