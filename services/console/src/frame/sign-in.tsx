import { Button, Center, Paper, Stack, Text, Title } from '@mantine/core'
import { useEffect, useRef } from 'react'
import { signInAndReturn, signInPath } from './last-workspace.ts'

/** What the gateway calls its deployment. */
const isLocal = document.querySelector<HTMLMetaElement>('meta[name=environment]')?.content === 'local'

/** The only thing that keys reach while it covers a page. */
let cover: HTMLElement | null = null
// A dialog listens at the window too: this listener must be the first one there.
window.addEventListener(
  'keydown',
  (event) => {
    if (!cover) return
    event.stopImmediatePropagation()
    if (event.key !== 'Tab') return
    event.preventDefault()
    cover.focus()
  },
  { capture: true },
)

function useCover() {
  const ref = useRef<HTMLAnchorElement>(null)
  useEffect(() => {
    cover = ref.current
    cover?.focus()
    return () => void (cover = null)
  }, [])
  return ref
}

/** Shown without a session. After the sign-in the same page comes back; a page that waits behind it asks for a new tab. */
export function SignIn({ hasPage = false }: { hasPage?: boolean }) {
  const link = useCover()
  useEffect(() => {
    const before = document.title
    document.title = 'Sign in – Lettergate console'
    return () => void (document.title = before)
  }, [])
  return (
    <Center mih="100vh" p="md" component="main" {...(hasPage ? { className: 'over-page' } : {})}>
      <Paper withBorder p="xl" maw="26rem" w="100%">
        <Stack>
          <Title order={1} size="h2">
            Lettergate console
          </Title>
          <Text>
            {hasPage
              ? 'Sign in with your identity wallet in a new tab: your session has ended. Then come back to this tab: the page is as you left it, with what you typed.'
              : 'Sign in with your identity wallet. If you were signed in, your session has ended; you come back to the same page.'}
          </Text>
          {hasPage ? (
            <Button ref={link} size="md" component="a" href={signInPath} target="_blank">
              Sign in in a new tab
            </Button>
          ) : (
            <Button size="md" onClick={signInAndReturn}>
              Sign in
            </Button>
          )}
          {isLocal && (
            <Text size="sm" c="dimmed">
              The wallet of this local deployment asks for no password. It lists its users and their roles:{' '}
              <code>owner</code> sees everything, <code>wsowner</code>, <code>admin</code>, <code>editor</code>,{' '}
              <code>agent</code> and <code>analyst</code> see what a role allows, <code>platform</code> belongs to no
              workspace, and <code>outsider</code> to another one.
            </Text>
          )}
        </Stack>
      </Paper>
    </Center>
  )
}
