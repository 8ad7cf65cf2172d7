import '@mantine/spotlight/styles.css'
import type { IdentityResponse } from '@lettergate/client'
import { useMantineColorScheme } from '@mantine/core'
import { Spotlight, type SpotlightActionData } from '@mantine/spotlight'
import { useLocation } from 'wouter'
import { administersPlatform } from '../session/use-me.ts'
import { pagesOfPlatform, pagesOfWorkspace } from '../parts/pages.ts'

/** What was typed before the palette was loaded has selected no row. Then the Enter key takes the first. */
function takeFirst(input: HTMLElement): void {
  const rows = input.closest('[role=dialog]')
  if (!rows?.querySelector('[data-selected]')) rows?.querySelector<HTMLElement>('[data-action]')?.click()
}

/** Goes to every page and workspace by the keyboard, looks for a contact, and changes the colors. */
export default function Palette({
  me,
  workspace,
  query,
  setQuery,
  isEntered,
  onOpen,
  onClose,
}: {
  me: IdentityResponse
  workspace: string | undefined
  /** what is typed, also before the palette was loaded */
  query: string
  setQuery: (query: string) => void
  /** the Enter key was pressed before the palette was loaded */
  isEntered: boolean
  /** its input has the focus */
  onOpen: () => void
  onClose: () => void
}) {
  const [, go] = useLocation()
  const { setColorScheme } = useMantineColorScheme()
  const page = (to: string, label: string, description: string): SpotlightActionData => ({
    id: to,
    label,
    description,
    onClick: () => go(to),
  })
  const actions: SpotlightActionData[] = [
    ...(workspace === undefined
      ? []
      : pagesOfWorkspace.flatMap(([, pages]) =>
          pages.map(([path, title]) => page(`/w/${workspace}${path}`, title, workspace)),
        )),
    ...(administersPlatform(me)
      ? [
          ...pagesOfPlatform.map(([to, title]) => page(to, title, 'Platform')),
          page('/runbooks', 'Runbooks', 'What to do about each alert'),
        ]
      : []),
    page('/profile', 'Your profile', 'Who you are, and where you are signed in'),
    ...me.workspaces
      .map((item) => `${item.organization}/${item.workspace}`)
      .filter((name) => name !== workspace)
      .map((name) => page(`/w/${name}`, name, 'Change the workspace')),
    ...(['light', 'dark', 'auto'] as const).map((scheme) => ({
      id: scheme,
      label: scheme === 'auto' ? 'Colors as the system' : `${scheme === 'light' ? 'Light' : 'Dark'} colors`,
      description: 'How the console looks',
      onClick: () => setColorScheme(scheme),
    })),
  ]
  const wanted = query.trim()
  if (workspace !== undefined && wanted.length > 1)
    actions.push({
      id: 'look',
      label: `Look for “${wanted}” in contacts`,
      description: workspace,
      keywords: [wanted],
      onClick: () => go(`/w/${workspace}/contacts?search=${encodeURIComponent(wanted)}`),
    })
  return (
    <Spotlight
      actions={actions}
      query={query}
      onQueryChange={setQuery}
      shortcut={null}
      onSpotlightClose={onClose}
      highlightQuery
      scrollable
      maxHeight={420}
      nothingFound="No page has this name"
      attributes={{ content: { 'aria-label': 'Go to' } }}
      searchProps={{
        placeholder: 'Go to a page, or look for a contact',
        'aria-label': 'Go to a page',
        onFocus: ({ currentTarget }) => {
          onOpen()
          if (isEntered) takeFirst(currentTarget)
        },
        onKeyDown: ({ key, currentTarget }) => key === 'Enter' && takeFirst(currentTarget),
      }}
    />
  )
}
