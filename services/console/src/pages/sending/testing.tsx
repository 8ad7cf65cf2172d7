import { Text } from '@mantine/core'
import { RoleNote } from '../../session/role-note.tsx'
import { Page } from '../../parts/page.tsx'
import { Preflight } from './preflight.tsx'
import { PreflightHistory } from './preflight-history.tsx'
import { Rehearsals } from './rehearsals.tsx'
import { SyntheticRehearsal } from './synthetic-rehearsal.tsx'
import { TestSends } from './test-sends.tsx'

/** What can be tried before real people get an email. */
export default function TestingPage() {
  return (
    <Page
      title="Test and rehearse"
      about={
        <Text span inherit>
          Nothing here reaches your contacts. Test emails go only to addresses that the deployment allows, and only
          while the gate for test sends is open.
        </Text>
      }
    >
      <RoleNote needs="send_test" />
      <Preflight />
      <PreflightHistory />
      <TestSends />
      <Rehearsals />
      <SyntheticRehearsal />
    </Page>
  )
}
