import { createContext, useContext, type ReactNode } from 'react'
import { Link } from 'wouter'
import { pageFromHere } from './pages.ts'

/** A link to another page of the console. */
export const PageLink = ({ to, children }: { to: string; children: ReactNode }) => (
  <Link href={to} className="link mantine-focus-auto">
    {children}
  </Link>
)

/** Whether the user sees the pages of the platform. */
export const SeesPlatform = createContext(false)

/** A link to a page of this workspace or of the platform, by its title; nothing for a user who does not see that page. */
export function PageLinkFromHere({ path, before = '', after = '' }: { path: string; before?: string; after?: string }) {
  const seesPlatform = useContext(SeesPlatform)
  if (path.startsWith('/platform/') && !seesPlatform) return null
  const { to, title } = pageFromHere(path)
  return (
    <>
      {before}
      <PageLink to={to}>{title}</PageLink>
      {after}
    </>
  )
}
