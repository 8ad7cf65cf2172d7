import type { IdentityResponse } from '@lettergate/client'
import { NavLink, ScrollArea, Text } from '@mantine/core'
import { Link } from 'wouter'
import { administersPlatform } from '../session/use-me.ts'
import { pagesOfPlatform, pagesOfWorkspace } from '../parts/pages.ts'

/** The pages of the workspace, and those of the platform for its administrators. */
export function Navigation({
  me,
  workspace,
  path,
}: {
  me: IdentityResponse
  workspace: string | undefined
  path: string
}) {
  const item = (to: string, title: string, isExact = false) => {
    const isHere = isExact ? path === to || path === `${to}/` : path === to || path.startsWith(`${to}/`)
    return (
      <NavLink
        key={to}
        component={Link}
        href={to}
        label={title}
        active={isHere}
        aria-current={isHere ? 'page' : undefined}
        py={5}
      />
    )
  }
  const heading = (title: string) => (
    <Text key={title} size="xs" fw={700} c="dimmed" px="sm" pt="sm" pb={2}>
      {title}
    </Text>
  )
  return (
    <ScrollArea>
      {workspace !== undefined &&
        pagesOfWorkspace.map(([group, pages]) => [
          group === '' ? null : heading(group),
          ...pages.map(([page, title]) => item(`/w/${workspace}${page}`, title, page === '')),
        ])}
      {administersPlatform(me) && [heading('Platform'), ...pagesOfPlatform.map(([to, title]) => item(to, title))]}
    </ScrollArea>
  )
}
