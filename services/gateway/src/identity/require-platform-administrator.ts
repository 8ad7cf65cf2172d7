import { Fault } from '@lettergate/fault'
import type { Caller } from '@lettergate/service'
import { administersPlatform } from '../domain/capabilities.ts'

export function requirePlatformAdministrator(caller: Caller): void {
  if (administersPlatform(caller.platformRole)) return
  throw new Fault('permission_denied', 'platform_role', 'Only an owner or administrator of the platform may do this.')
}
