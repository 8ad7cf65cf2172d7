import {
  columns,
  kyselyOf,
  leftJoined,
  newId,
  prepared,
  sql,
  statement,
  type Database,
  type RowOf,
} from '@lettergate/database'
import { faultOf } from '@lettergate/database/errors'
import { isSlug } from '@lettergate/values/slug'
import { Membership } from '../identity/membership.entity.ts'
import { User } from '../identity/user.entity.ts'
import { Workspace } from '../identity/workspace.entity.ts'
import { coalesced } from './coalesce.ts'
import type { WalletToken } from './wallet.ts'

/** A caller's user, and their role in the requested workspace. */
export interface Principal {
  userId: string
  identityType: 'human' | 'agent'
  platformRole: string | null
  workspace: { id: string; isArchived: boolean; role: string } | null
}

export interface Slugs {
  organization: string
  workspace: string
}

const principalColumns = {
  user_id: columns(User, 'id').id,
  ...columns(User, 'username', 'identity_type', 'platform_role'),
  ...leftJoined({ ...columns(Membership, 'workspace_id', 'role'), ...columns(Workspace, 'is_archived') }),
}
const selectPrincipal = statement('select-principal', principalColumns)
type PrincipalRow = RowOf<typeof principalColumns>

export interface Principals {
  /** One indexed query. null for an unknown user. */
  find(walletUserId: string, slugs: Slugs | null): Promise<Principal | null>
  /** The same for a user of a valid wallet token: stores a new user, and takes their name and type from the wallet. */
  recognise(token: WalletToken, slugs: Slugs | null): Promise<Principal>
}

export function principalsIn(db: Database): Principals {
  const shared = coalesced<PrincipalRow | undefined>()
  const ask = (walletUserId: string, slugs: Slugs | null) => {
    // a text that is not a slug names no workspace, so no lookup is needed
    const { organization, workspace } =
      slugs && isSlug(slugs.organization) && isSlug(slugs.workspace) ? slugs : { organization: null, workspace: null }
    return shared(JSON.stringify([walletUserId, organization, workspace]), () =>
      selectPrincipal.row(
        db.fork(),
        prepared(
          sql`select user_id, username, identity_type, platform_role, workspace_id, is_archived, role from principal_of(${walletUserId}, ${organization}, ${workspace})`,
        ),
      ),
    )
  }
  const shaped = (found: PrincipalRow): Principal => ({
    userId: found.user_id,
    identityType: found.identity_type,
    platformRole: found.platform_role,
    workspace:
      found.workspace_id === null
        ? null
        : { id: found.workspace_id, isArchived: found.is_archived === true, role: found.role ?? '' },
  })
  return {
    async find(walletUserId, slugs) {
      try {
        const found = await ask(walletUserId, slugs)
        return found ? shaped(found) : null
      } catch (error) {
        throw faultOf(error)
      }
    },
    async recognise({ walletUserId, username, identityType }, slugs) {
      try {
        const known = await ask(walletUserId, slugs)
        const isNews = username !== null && known?.username !== username
        if (known && !isNews && known.identity_type === identityType) return shaped(known)
        await kyselyOf(db.fork(), User)
          .insertInto('users')
          .values({ id: newId(), wallet_user_id: walletUserId, username, identity_type: identityType })
          .onConflict((conflict) =>
            conflict.column('wallet_user_id').doUpdateSet((eb) => ({
              username: eb.fn.coalesce('excluded.username', 'users.username'),
              identity_type: eb.ref('excluded.identity_type'),
            })),
          )
          .execute()
        return shaped((await ask(walletUserId, slugs))!)
      } catch (error) {
        throw faultOf(error)
      }
    },
  }
}
