import type { IdentityResponse } from '@lettergate/client'
import { Page } from '../parts/page.tsx'
import { PageLink } from '../parts/link.tsx'
import { administersPlatform } from '../session/use-me.ts'

/** For a user who belongs to no workspace. */
export const NoWorkspace = ({ me }: { me: IdentityResponse }) => (
  <Page
    title="You belong to no workspace"
    about={
      administersPlatform(me) ? (
        <>
          You administer the platform: see its <PageLink to="/platform/gates">gates</PageLink> and{' '}
          <PageLink to="/platform/alerts">alerts</PageLink>.
        </>
      ) : (
        <>
          Ask an owner of a workspace to add you. Your wallet user id is <code>{me.user.wallet_user_id}</code>.
        </>
      )
    }
  />
)
