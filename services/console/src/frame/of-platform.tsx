import type { IdentityResponse } from '@lettergate/client'
import type { ReactNode } from 'react'
import { Page } from '../parts/page.tsx'
import { pagesOfPlatform } from '../parts/pages.ts'
import { administersPlatform } from '../session/use-me.ts'

/** A page of the platform. To others it says who sees it, because the service would refuse what it reads. */
export function OfPlatform({ me, path, children }: { me: IdentityResponse; path: string; children: ReactNode }) {
  const [, title] = pagesOfPlatform.find(([to]) => to === path) ?? []
  if (title === undefined || administersPlatform(me)) return children
  return (
    <Page
      title={title}
      about="Owners and administrators of the platform see this page. Ask one of them if something of the platform has to change."
    />
  )
}
