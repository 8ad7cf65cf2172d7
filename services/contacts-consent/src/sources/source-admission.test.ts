import { expect, test } from '@jest/globals'
import { refusalOf, type Presented, type PresentedSource } from './source-admission.ts'

const here = '01900000-0000-7000-8000-000000000001'
const elsewhere = '01900000-0000-7000-8000-000000000002'
const own: PresentedSource = { workspaceId: here, slug: 'shop', status: 'active' }
const static_: Presented = { credentialSha256: 'a'.repeat(64), grantedSourceId: null, permissions: [] }
const grant = (...permissions: string[]): Presented => ({ credentialSha256: null, grantedSourceId: 'x', permissions })
const nothing: Presented = { credentialSha256: null, grantedSourceId: null, permissions: ['events.write'] }
const write = 'events.write' as const
const read = 'audiences.read' as const

const rows = [
  ['a static credential has no scope of its own', static_, write, here, own, 'shop', null],
  ['a static credential lists audiences too', static_, read, here, own, 'shop', null],
  ['a grant with the permission', grant(write), write, here, own, 'shop', null],
  ['nothing presented', nothing, write, here, undefined, 'shop', 'unauthenticated'],
  ['a credential that nobody has', static_, write, here, undefined, 'shop', 'unauthenticated'],
  ['a credential that nobody has, in no workspace', static_, write, null, undefined, 'shop', 'unauthenticated'],
  ['a good credential, in no workspace', static_, write, null, own, 'shop', 'not_found'],
  ['a good grant, in no workspace', grant(write), write, null, own, 'shop', 'not_found'],
  ['a credential of another workspace', static_, write, elsewhere, own, 'shop', 'not_found'],
  ['a grant of another workspace', grant(write), write, elsewhere, own, 'shop', 'not_found'],
  ['a credential of another source', static_, write, here, own, 'forum', 'permission_denied'],
  ['a grant of another source', grant(write), write, here, own, 'forum', 'permission_denied'],
  ['a grant that names no source', grant(write), write, here, undefined, 'shop', 'permission_denied'],
  ['a grant without the permission', grant(write), read, here, own, 'shop', 'permission_denied'],
  ['a grant without any permission', grant(), write, here, own, 'shop', 'permission_denied'],
  ['a suspended source', static_, write, here, { ...own, status: 'suspended' }, 'shop', 'permission_denied'],
  ['a revoked source', grant(write), write, here, { ...own, status: 'revoked' }, 'shop', 'permission_denied'],
  ['another workspace hides the status', static_, write, elsewhere, { ...own, status: 'revoked' }, 'shop', 'not_found'],
] as const

test.each(rows)('%s', (_, presented, permission, workspaceId, found, slug, code) => {
  expect(refusalOf({ slug, presented, permission }, workspaceId, found)?.code ?? null).toBe(code)
})
