import type { IncomingMessage } from 'node:http'
import { expect, test } from '@jest/globals'
import fc from 'fast-check'
import { capabilities, holds, matrix, roles, serviceCapability, type Capability } from '../src/domain/capabilities.ts'
import { authorise, refuseForgery } from '../src/engine/authorise.ts'
import type { Authenticated } from '../src/engine/authenticate.ts'
import type { Plan } from '../src/engine/plan.ts'

const requestOf = (method = 'POST', headers: Record<string, string> = {}) =>
  ({ method, headers }) as unknown as IncomingMessage
const planOf = (capability: Plan['capability'], ownership?: Plan['ownership']) =>
  ({ capability, ownership }) as unknown as Plan

interface Given {
  role?: string | null
  isArchived?: boolean
  platformRole?: string | null
  authMethod?: Authenticated['authMethod']
  csrfToken?: string | null
}
const callerOf = ({
  role = null,
  isArchived = false,
  platformRole = null,
  authMethod = 'bearer',
  csrfToken = null,
}: Given) =>
  ({
    walletUserId: 'u1',
    authMethod,
    session: csrfToken === null ? null : { csrfToken },
    principal: { platformRole, workspace: role === null ? null : { id: 'w1', role, isArchived } },
  }) as unknown as Authenticated

const isAllowed = (plan: Plan, caller: Authenticated, request = requestOf()): boolean => {
  try {
    authorise(request, plan, caller)
    return true
  } catch (error) {
    expect(error).toMatchObject({ code: 'permission_denied' })
    return false
  }
}

const anyRole = fc.constantFrom(...roles, 'auditor', '')
const anyCapability = fc.constantFrom(...capabilities)

test('a role has exactly the capabilities of the matrix', () => {
  fc.assert(
    fc.property(
      anyRole,
      anyCapability,
      fc.boolean(),
      fc.constantFrom('bearer' as const, 'session' as const),
      (role, capability, isArchived, authMethod) => {
        const expected = holds(role, capability, isArchived)
        expect(isAllowed(planOf(capability), callerOf({ role, isArchived, authMethod }))).toBe(expected)
      },
    ),
  )
})

test('an unknown role has no capability, and no role gains one in an archived workspace', () => {
  for (const capability of capabilities) {
    for (const role of ['', 'admin', 'Owner', 'toString']) expect(holds(role, capability, false)).toBe(false)
    for (const role of roles) expect(holds(role, capability, true) && !holds(role, capability, false)).toBe(false)
  }
})

test('each more powerful role has all capabilities of the one below it', () => {
  const sets = roles.map((role) => capabilities.filter((capability) => holds(role, capability, false)))
  for (const [n, set] of sets.entries()) if (n > 0) expect(sets[n - 1]).toEqual(expect.arrayContaining(set))
  expect(sets[0]).toEqual(capabilities)
  for (const holders of Object.values(matrix)) expect(holders).toContain('owner')
})

test('without a workspace no caller has a capability, not even an owner of the platform', () => {
  for (const capability of capabilities)
    expect(isAllowed(planOf(capability), callerOf({ platformRole: 'owner' }))).toBe(false)
})

test('a service key has one capability, and no operation of the platform', () => {
  for (const capability of capabilities)
    expect(isAllowed(planOf(capability), callerOf({ role: 'owner', authMethod: 'service' }))).toBe(
      capability === serviceCapability,
    )
  const platform = planOf('authenticated', 'platform_owner_or_administrator')
  expect(isAllowed(platform, callerOf({ platformRole: 'owner', authMethod: 'service' }))).toBe(false)
})

test.each([
  ['platform_or_workspace_owner', (platform: boolean, workspace: boolean) => platform || workspace],
  ['platform_and_workspace_owner', (platform: boolean, workspace: boolean) => platform && workspace],
  ['workspace_owner', (_: boolean, workspace: boolean) => workspace],
] as const)('the ownership %s is checked in addition to the capability', (ownership, expected) => {
  fc.assert(
    fc.property(anyRole, fc.option(fc.constantFrom('owner', 'administrator', 'x')), (role, platformRole) => {
      const owns = expected(platformRole === 'owner', role === 'owner')
      expect(isAllowed(planOf('authenticated', ownership), callerOf({ role, platformRole }))).toBe(owns)
      const capability: Capability = 'manage_team_roles'
      expect(isAllowed(planOf(capability, ownership), callerOf({ role, platformRole }))).toBe(
        owns && holds(role, capability, false),
      )
    }),
  )
})

test('the platform is administered by its owners and administrators only', () => {
  const plan = planOf('authenticated', 'platform_owner_or_administrator')
  for (const [platformRole, allowed] of [
    ['owner', true],
    ['administrator', true],
    ['auditor', false],
    [null, false],
  ] as const)
    expect(isAllowed(plan, callerOf({ platformRole, role: 'owner' }))).toBe(allowed)
})

test('the refusal of a role that lost a capability by the archive says so', () => {
  expect(() => authorise(requestOf(), planOf('send_test'), callerOf({ role: 'owner', isArchived: true }))).toThrow(
    'which an archived workspace takes from every role',
  )
  expect(() => authorise(requestOf(), planOf('send_test'), callerOf({ role: 'analyst', isArchived: true }))).toThrow(
    'which your role in this workspace does not have',
  )
})

test('a change by a browser session needs its CSRF token, and reading does not', () => {
  const csrfToken = 'token-of-this-session'
  const allowed = (method: string, headers: Record<string, string>) => {
    try {
      refuseForgery(requestOf(method, headers), csrfToken)
      return true
    } catch (error) {
      expect(error).toMatchObject({ code: 'permission_denied', reason: 'csrf_token' })
      return false
    }
  }
  for (const method of ['GET', 'HEAD']) expect(allowed(method, {})).toBe(true)
  for (const method of ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS']) {
    expect(allowed(method, { 'x-csrf-token': csrfToken })).toBe(true)
    expect(allowed(method, {})).toBe(false)
    expect(allowed(method, { 'x-csrf-token': `${csrfToken}x` })).toBe(false)
    expect(allowed(method, { 'x-csrf-token': '' })).toBe(false)
    expect(allowed(method, { 'x-csrf-token': csrfToken, 'sec-fetch-site': 'cross-site' })).toBe(false)
  }
})

test('a caller without a browser session needs no CSRF token', () => {
  expect(() => refuseForgery(requestOf('POST', { 'sec-fetch-site': 'cross-site' }), null)).not.toThrow()
})

test('an expensive download with a browser session is not started by a link of another site', () => {
  const plan = { ...planOf('view'), rateClass: 'expensive' } as Plan
  const link = (site: string) => requestOf('GET', { 'sec-fetch-site': site })
  const session = callerOf({ role: 'analyst', authMethod: 'session', csrfToken: 'token-of-this-session' })
  expect(() => authorise(link('cross-site'), plan, session)).toThrow('Another site')
  for (const site of ['same-origin', 'none']) expect(isAllowed(plan, session, link(site))).toBe(true)
  expect(isAllowed(plan, session, requestOf('GET'))).toBe(true)
  expect(isAllowed(planOf('view'), session, link('cross-site'))).toBe(true)
  expect(isAllowed(plan, callerOf({ role: 'analyst' }), link('cross-site'))).toBe(true)
})

test('the CSRF token is checked before the role', () => {
  const caller = callerOf({ role: 'analyst', authMethod: 'session', csrfToken: 'token-of-this-session' })
  expect(() => authorise(requestOf(), planOf('manage_team_roles'), caller)).toThrow('X-CSRF-Token')
})
