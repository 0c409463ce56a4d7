import type { Identity } from '../../service/lock-store.ts';

/** Sets who holds, as far as it is given. */
export function identityChange({ holder, principal }: Partial<Identity> = {}) {
  return {
    set: `${principal !== undefined ? ', #principal = :principal' : ''}${holder !== undefined ? ', #holder = :holder' : ''}`,
    values: {
      ...(principal !== undefined && { ':principal': principal }),
      ...(holder !== undefined && { ':holder': holder }),
    },
  };
}

/** What a grant does to holder and principal: a provisional hold has neither, and nobody inherits the last one's label. */
export function grantIdentity(identity: Identity | undefined) {
  const absent = ['holder', 'principal'].filter((name) => identity?.[name as keyof Identity] === undefined);
  return { ...identityChange(identity), absent: absent.map((name) => `#${name}`) };
}
