import { Fault } from '@lettergate/fault'
import type { Caller } from '@lettergate/service'
import { roles, type Role } from '../domain/capabilities.ts'

/** Throws Fault `invalid_argument` for an invalid role. */
export function parseRole(given: string): Role {
  const role = roles.find((known) => known === given)
  if (role) return role
  throw new Fault('invalid_argument', 'role', `role must be one of ${roles.join(', ')}.`)
}

/** Only an owner may add, change or remove an owner. */
export function requireOwnerFor(caller: Caller, ...touched: readonly string[]): void {
  if (caller.role === 'owner' || !touched.includes('owner')) return
  throw new Fault(
    'permission_denied',
    'ownership',
    'Only an owner of this workspace may make, change or remove an owner.',
  )
}

/** A workspace keeps at least one owner. */
export function requireAnotherOwner(role: string, owners: number): void {
  if (role !== 'owner' || owners > 1) return
  throw new Fault(
    'failed_precondition',
    'last_owner',
    'This workspace has no other owner. Make somebody else one first.',
  )
}
