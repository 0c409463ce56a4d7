// Loads every entry of the built package as a user's program does, once as an ES module and once as CommonJS, and fails
// where the two differ or the entries do not belong together. `npm run build` comes first.
import assert from 'node:assert/strict';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const url = 'http://127.0.0.1';
const loaders = { import: (name) => import(name), require: async (name) => require(name) };
const isAwsSdkLoaded = () => Object.keys(require.cache).some((file) => /[\\/]@(aws-sdk|smithy)[\\/]/.test(file));

const exported = {};
const inMemory = [];
for (const [how, load] of Object.entries(loaders)) {
  const { LockFactory, IllegalArgumentError } = await load('holdfast');
  const { connect, fromEnv } = await load('holdfast/auto');
  const { connectMemory, LockMemory } = await load('holdfast/memory');
  assert(LockFactory.connect({ url }) instanceof LockFactory);
  assert((await connect({ url })) instanceof LockFactory);
  assert(connectMemory({ memory: new LockMemory() }) instanceof LockFactory);
  assert.throws(() => connectMemory({ leaseMs: 1 }), IllegalArgumentError);
  inMemory.push(await fromEnv({ url: 'memory:shared' }));
  exported[how] = await Promise.all(['holdfast', 'holdfast/auto', 'holdfast/memory'].map(namesIn(load)));
}
assert(!isAwsSdkLoaded(), 'the AWS SDK is loaded before anybody asks for DynamoDB');
assert.deepEqual(exported.import, exported.require);

// Both copies of the package in one process.
const [asModule, asCommonJs] = inMemory;
const held = asModule.createLock('a');
await held.lock();
assert.equal(await asCommonJs.createLock('a').tryLock(), false);
await held.unlock();
assert.equal(await asCommonJs.createLock('a').tryLock(), true);

for (const load of Object.values(loaders)) {
  const { LockFactory, IllegalArgumentError } = await load('holdfast');
  const { connect } = await load('holdfast/auto');
  const { connectEmbedded } = await load('holdfast/embedded');
  assert.throws(() => connectEmbedded({ table: '' }), IllegalArgumentError);
  const embedded = await connect({ url: 'dynamodb://locks?region=eu-central-1' });
  assert(embedded instanceof LockFactory);
  await embedded.dispose();
}
assert(isAwsSdkLoaded());

function namesIn(load) {
  return async (name) =>
    Object.keys(await load(name))
      .filter((each) => !['default', '__esModule', 'module.exports'].includes(each))
      .sort();
}
