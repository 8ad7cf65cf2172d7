import { Button, Center, Paper, Stack, Text, Title } from '@mantine/core'
import { useDocumentTitle } from '@mantine/hooks'
import { signInAndReturn } from './last-workspace.ts'

const isLocal = ['127.0.0.1', 'localhost'].includes(location.hostname)

/** Shown without a session, also after it ended. The page of before comes back after the sign-in. */
export function SignIn() {
  useDocumentTitle('Sign in – Lettergate console')
  return (
    <Center mih="100vh" p="md" component="main">
      <Paper withBorder p="xl" maw="26rem" w="100%">
        <Stack>
          <Title order={1} size="h2">
            Lettergate console
          </Title>
          <Text>
            Sign in with your identity wallet. If you were signed in, your session has ended; you come back to the same
            page.
          </Text>
          <Button size="md" onClick={signInAndReturn}>
            Sign in
          </Button>
          {isLocal && (
            <Text size="sm" c="dimmed">
              On this machine the wallet is a local one and asks for no password. Choose <code>owner</code> to see
              everything, or <code>admin</code>, <code>editor</code> or <code>analyst</code> to see what a role allows.
            </Text>
          )}
        </Stack>
      </Paper>
    </Center>
  )
}
