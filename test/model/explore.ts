import { parseArgs } from 'node:util';
import { Exploration } from './exploration.ts';
import { followed, scenarios } from './scenarios.ts';

// npx tsx test/model/explore.ts --clients 3 --seconds 600 [--scenario 'old reads'] [--calm-each 10]
const { values } = parseArgs({
  options: {
    clients: { type: 'string', default: '2' },
    seconds: { type: 'string', default: '60' },
    scenario: { type: 'string', default: '' },
    'calm-each': { type: 'string', default: '10' },
  },
});

const print = (line: string) => process.stdout.write(`${line}\n`);

async function explore(): Promise<void> {
  const clients = Number(values.clients);
  const all = [
    ...scenarios.map((each) => ({ ...each, clients })),
    ...followed.filter((each) => each.clients === clients),
  ];
  const chosen = all.filter(({ name }) => name.includes(values.scenario));
  for (const scenario of chosen) {
    print(`${scenario.name}, ${clients} clients`);
    const report = await new Exploration(scenario).run({
      seconds: Number(values.seconds) / chosen.length,
      calmEach: Number(values['calm-each']),
      auditEach: 100,
      onProgress: ({ depth, states }) => print(`  depth ${depth}: ${states} states`),
    });
    const { states, transitions, depth, calmed, audited, complete, violation } = report;
    const rate = Math.round(states / report.seconds);
    print(
      `  ${states} states, ${transitions} transitions, depth ${depth}${complete ? ', complete' : ''}; ${rate} states/s`,
    );
    print(`  ${calmed} run on to their end without faults, ${audited} compared with others of their key`);
    if (violation === undefined) continue;
    print(`\nVIOLATION: ${violation.message}\n`);
    for (const [index, step] of violation.trace.entries()) print(`${String(index + 1).padStart(4)}. ${step}`);
    process.exitCode = 1;
    return;
  }
}

void explore();
