import type { Alteration, PassingAnswer } from '../../support/altering-proxy.ts';
import { policies } from '../../support/iam-policies.ts';
import { mayRead, mayUse, readKey, useKey } from './callers.ts';

export const tooMany = json(429, { message: 'Too Many Requests' });
export const unavailable = json(503, { message: 'Service Unavailable' });

function json(status: number, body: object): PassingAnswer {
  return { status, headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

function without(answer: PassingAnswer, header: string): PassingAnswer {
  const { [header]: _removed, ...headers } = answer.headers;
  return { ...answer, headers };
}

const html: PassingAnswer = { status: 429, headers: { 'content-type': 'text/html' }, body: '<p>slow down</p>' };
const forbiddenPage: PassingAnswer = { ...html, status: 403, body: '<p>Forbidden</p>' };

/** Deployments that are wrong in one way each, and the checks that find it. */
export const wrongDeployments: readonly {
  readonly deployment: string;
  readonly group: string;
  /** The proxy changes what is signed, so nobody may check it. */
  readonly isOpen?: true;
  readonly alteration: Alteration;
  readonly finds: readonly string[];
}[] = [
  {
    deployment: 'lets in whoever comes',
    group: 'signatures',
    isOpen: true,
    alteration: {},
    finds: [
      'a signed request',
      'try without a signature',
      'break signed with a wrong secret',
      'inspect signed with a key that is unknown',
      'a body that was changed after it was signed',
      'signed by a clock that is 10 minutes slow',
    ],
  },
  {
    deployment: 'refuses without saying what time it is',
    group: 'signatures',
    alteration: { answer: (answer) => without(answer, 'date') },
    finds: ['signed by a clock that is 10 minutes fast', 'the SDK with a clock that is 10 minutes fast'],
  },
  {
    deployment: 'refuses with a page',
    group: 'signatures',
    alteration: { answer: (answer) => (answer.status === 403 ? { ...answer, ...forbiddenPage } : answer) },
    finds: [
      'try without a signature',
      'inspect signed with a wrong secret',
      'inspect signed for another service',
      'a body that was changed after it was signed',
    ],
  },
  {
    deployment: 'lets pages of other origins read its answers',
    group: 'signatures',
    alteration: {
      answer: (answer) => ({ ...answer, headers: { ...answer.headers, 'access-control-allow-origin': '*' } }),
    },
    finds: ['requests of a page of another origin'],
  },
  {
    deployment: 'tells who looks the right to release',
    group: 'locks',
    alteration: {
      answer: (answer, { method }) =>
        method === 'GET'
          ? { ...answer, body: answer.body.replace(/^\{/, '{"ownerToken":"AAAAAAAAAAAAAAAAAAAAAA",') }
          : answer,
    },
    finds: ['what others see of a lock that is held and waited for'],
  },
  {
    deployment: 'takes a slash at the end for nothing',
    group: 'paths',
    isOpen: true,
    alteration: { request: (request) => ({ ...request, path: request.path.replace(/(.)\/$/, '$1') }) },
    finds: ['inspect with a slash at its end', 'try with a slash at its end', 'list with a slash at its end'],
  },
  {
    deployment: 'takes several spellings of one id',
    group: 'paths',
    isOpen: true,
    alteration: { request: (request) => ({ ...request, path: request.path.replace('~2f', '~2F') }) },
    finds: ['x~2f as an id, which is not canonical'],
  },
  {
    deployment: 'tidies paths up',
    group: 'paths',
    isOpen: true,
    alteration: {
      request: (request) => ({ ...request, path: new URL(request.path.replace(/\/+/g, '/'), 'http://a').pathname }),
    },
    finds: [
      'a path that goes up',
      'a path that goes up to the list',
      'a path that goes up to the list, encoded',
      'a path with a segment of one dot',
      'two slashes at the beginning',
    ],
  },
  {
    deployment: 'decodes escapes twice',
    group: 'paths',
    isOpen: true,
    alteration: {
      request: (request) => ({
        ...request,
        path: request.path.includes('%41') ? request.path.replace('%41', 'B') : request.path.replace('~2F', '/'),
      }),
    },
    finds: [
      'looking at 46 ids of every escape class',
      'locking ids of every escape class',
      'a percent-encoded letter in an id',
    ],
  },
  {
    deployment: 'has another 404',
    group: 'paths',
    alteration: { answer: (answer) => (answer.status === 404 ? { ...answer, body: 'nothing here' } : answer) },
    finds: ['a route that does not exist', 'a method that does not exist', 'the root', 'break with a slash at its end'],
  },
  {
    deployment: 'refuses without a problem body',
    group: 'bodies',
    alteration: { answer: (answer) => (answer.status >= 400 ? json(answer.status, { message: 'Bad' }) : answer) },
    finds: [
      'a body of more than 4096 bytes',
      'a body that is text/plain',
      'a body with three faults',
      'a query that the list does not know',
      'a refusal’s headers',
    ],
  },
  {
    deployment: 'has other request ids in its problems than in its headers, and shortens labels',
    group: 'bodies',
    alteration: {
      answer: (answer) => ({
        ...answer,
        headers: { ...answer.headers, 'apigw-requestid': 'another' },
        body: answer.body.replace('🔒', ''),
      }),
    },
    finds: ['a refusal’s headers', 'a body in application/json; charset=utf-8 with an emoji'],
  },
  {
    deployment: 'takes every body',
    group: 'bodies',
    isOpen: true,
    alteration: {
      request(request) {
        const { host = '' } = request.headers;
        const body = request.path.endsWith('/acquire') ? '{"waitMs":0}' : '{}';
        return { ...request, headers: { host, 'content-type': 'application/json' }, body };
      },
    },
    finds: [
      'a body of more than 4096 bytes',
      'a body that is a form',
      'a body that is not JSON',
      'a wait of more than 20000 ms',
      'headers of more than 10,240 bytes',
    ],
  },
  {
    deployment: 'gives out the same fencing token again, and does not say who holds a lock',
    group: 'locks',
    alteration: {
      answer: (answer) => ({
        ...answer,
        body: answer.body.replace(/"fencingToken":\d+/, '"fencingToken":17').replace('"holder":', '"owner":'),
      }),
    },
    finds: ['a lock that is held', 'fencing tokens after a release, the end of a lease, a hand-over and a break'],
  },
  {
    deployment: 'forgets what a repeated request was about, breaks any hold, and lists nothing',
    group: 'locks',
    alteration: {
      answer(answer, { path }) {
        if (path.startsWith('/v1/admin/locks?')) return { ...answer, body: '{"locks":[]}' };
        if (path.endsWith('/break')) return json(200, { broken: true });
        return answer.body.includes('token-spent') || path.endsWith('/renew') ? unavailable : answer;
      },
    },
    finds: [
      'repeating a try, a renewal and a release',
      'an owner token that has had its lease',
      'breaking another hold than the one that was looked at',
      'the list of the locks of this run',
    ],
  },
  {
    deployment: 'cuts long waits, loses places, and forgets who hung up',
    group: 'waits',
    alteration: {
      request: (request) => (request.body.includes('"waitMs":20000') ? unavailable : request),
      answer: (answer) => ({
        ...answer,
        body: answer.body.replace('"holder":"hung up"', '"holder":"another"').replaceAll('still-waiting', 'place-lost'),
      }),
    },
    finds: ['an acquire that waits its whole 20 s', 'an acquire with keepPlace', 'a waiter whose client hung up'],
  },
  {
    deployment: 'has a clock that is an hour fast',
    group: 'clocks',
    alteration: {
      answer: (answer) => ({
        ...answer,
        headers: { ...answer.headers, date: new Date(Date.now() + 3_600_000).toUTCString() },
      }),
    },
    finds: [
      'this host’s clock against the Date of all answers',
      'the functions’ clock against the Date of the same answers',
    ],
  },
  {
    deployment: 'answers nothing',
    group: 'clocks',
    alteration: { request: () => Promise.reject(new Error('hangs up')) },
    finds: [
      'this host’s clock against the Date of all answers',
      'the functions’ clock against the Date of the same answers',
    ],
  },
  {
    deployment: 'grants everything to everybody',
    group: 'grants',
    alteration: policies([
      { ...useKey, allowed: ['*'] },
      { ...readKey, allowed: ['*'] },
    ]),
    finds: [
      'use role: list within its prefix',
      'use role: break within its prefix',
      'use role: try outside its prefix',
      'read role: try within its prefix',
      'read role: inspect outside its prefix',
    ],
  },
  {
    deployment: 'refuses whom nothing was granted with a page',
    group: 'grants',
    alteration: {
      ...policies([
        { ...useKey, allowed: mayUse },
        { ...readKey, allowed: mayRead },
      ]),
      answer: (answer) => (answer.status === 403 ? { ...answer, ...forbiddenPage } : answer),
    },
    finds: ['use role: list within its prefix', 'read role: try within its prefix'],
  },
  {
    deployment: 'grants too little',
    group: 'grants',
    alteration: policies([
      { ...useKey, allowed: mayUse.filter((pattern) => !pattern.endsWith('renew')) },
      { ...readKey, allowed: [] },
    ]),
    finds: [
      'use role: try, renew, inspect, release, acquire, release within its prefix',
      'read role: inspect within its prefix',
    ],
  },
  {
    deployment: 'checks rights on the path as it was sent and serves another',
    group: 'grants',
    alteration: policies(
      [
        { ...useKey, allowed: mayUse },
        { ...readKey, allowed: mayRead },
      ],
      (path) => new URL((path.split('%3F')[0] ?? '').replaceAll('%2F', '/'), 'http://a').pathname,
    ),
    finds: [
      'use role: another lock by going up',
      'use role: another lock by going up, encoded',
      'use role: the list by going up',
      'read role: the list by going up, encoded',
    ],
  },
  {
    deployment: 'throttles with a page',
    group: 'throttles',
    alteration: { request: (request) => (request.method === 'GET' ? html : request) },
    finds: ['more looks than the API takes'],
  },
  {
    deployment: 'throttles renewals with the looks',
    group: 'throttles',
    alteration: { request: (request) => (/try$|release$/.test(request.path) ? request : tooMany) },
    finds: ['more looks than the API takes'],
  },
  {
    deployment: 'refuses the demo',
    group: 'demo',
    alteration: { request: () => json(403, { message: 'Forbidden' }) },
    finds: ['the demo: four processes and one file, and a holder that is killed'],
  },
];
