import { Button, Center, Paper, Stack, Text, Title } from '@mantine/core'
import { useEffect } from 'react'
import { signInAndReturn, signInPath } from './last-workspace.ts'

/** What the gateway calls its deployment. */
const isLocal = document.querySelector<HTMLMetaElement>('meta[name=environment]')?.content === 'local'

/** Shown without a session. After the sign-in the same page comes back; a page that waits behind it asks for a new tab. */
export function SignIn({ hasPage = false }: { hasPage?: boolean }) {
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
            // Escape would close a dialog of the page.
            <Button size="md" component="a" href={signInPath} target="_blank" autoFocus data-mantine-stop-propagation>
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
