import { Alert, Group, Text } from '@mantine/core'
import { ActButton } from '../../dialogs/act-button.tsx'
import { CopyButton } from '../../parts/copy-button.tsx'
import { Loaded } from '../../parts/loaded.tsx'
import { Moment } from '../../parts/moment.tsx'
import { Empty } from '../../parts/page.tsx'
import { Section } from '../../parts/section.tsx'
import { counted } from '../../parts/words.ts'
import { useAnswer } from '../../session/use-answer.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { PreflightChecks } from './preflight-checks.tsx'

/** The newest report of the sixteen checks before a launch. */
export function Preflight() {
  const { name, api, may } = useWorkspace()
  const answer = useAnswer([name, 'preflight'], (options) => api.getPreflight({}, options))
  return (
    <Section
      title="Preflight"
      about="Sixteen checks of the whole workspace. They read only."
      actions={
        may('manage_senders') && (
          <ActButton
            label="Run the checks"
            title="Run the preflight?"
            act="Run it"
            consequences={['Everything is read and nothing is sent. The report is kept with a checksum.']}
            run={() => api.runPreflight({ body: {} })}
          />
        )
      }
    >
      <Loaded answer={answer}>
        {({ preflight }) =>
          preflight === null ? (
            <Empty title="It was never run">Run the checks to see what is missing.</Empty>
          ) : (
            <>
              <Alert
                color={preflight.status === 'passed' ? 'green' : 'orange'}
                title={preflight.status === 'passed' ? 'Ready for a launch' : 'Not ready for a launch'}
              >
                {counted(preflight.summary.passed, 'check')} passed, {preflight.summary.blocked} blocked,{' '}
                {counted(preflight.summary.warnings, 'warning')}. <Moment at={preflight.completed_at} />, by{' '}
                {preflight.requested_by_wallet_id}.
                <Group gap={6} mt={4}>
                  <Text size="sm">
                    Checksum <code>{preflight.report_checksum.slice(0, 16)}…</code>
                  </Text>
                  <CopyButton value={preflight.report_checksum} of="the checksum of the report" />
                </Group>
              </Alert>
              <PreflightChecks label="Checks of the preflight" checks={preflight.checks} />
            </>
          )
        }
      </Loaded>
    </Section>
  )
}
