/**
 * The lock service for CDK apps.
 *
 * @module
 */
export type { AuthorizationProp, JwtAuthorization, JwtScopes } from './authorization.ts';
export type { CustomDomainProps } from './custom-domain.ts';
export type { FunctionCode } from './function-code.ts';
export type { FunctionSettings } from './function-settings.ts';
export type { GrantOptions } from './grants.ts';
export { LockService, type LockServiceProps } from './lock-service.ts';
export type { MultiRegionProps } from './multi-region.ts';
