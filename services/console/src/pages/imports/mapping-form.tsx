import type { ConsentPolicy, Import, ImportMappingRequest } from '@lettergate/client'
import { Button, Group, Radio, Select, SimpleGrid, Stack, Text, Textarea, TextInput } from '@mantine/core'
import { useState } from 'react'
import { clearButton } from '../../parts/clear-button.ts'
import { ErrorNotice } from '../../parts/error-notice.tsx'
import { fieldInWords } from '../../parts/field-in-words.ts'
import { ReadNotices, whileUnread } from '../../parts/read-notices.tsx'
import { Section } from '../../parts/section.tsx'
import { useUnsaved } from '../../parts/use-unsaved.ts'
import { useAnswer, useChange } from '../../session/use-answer.ts'
import { useFields, useTags } from '../../session/use-lists.ts'
import { useWorkspace } from '../../session/workspace.tsx'
import { evidence, policies, policyLabels, statusValuesLabel, textOf } from './consent-words.ts'
import { canSubscribe, isDefaultStatus, needsEvidence } from './default-status.ts'
import { columnsOf, guessMapping, namedMapping, statusLinesOf, statusValuesOf, targetChoices } from './guess-mapping.ts'
import { MappedMeanwhile } from './mapped-meanwhile.tsx'
import { PolicyOfRows } from './policy-of-rows.tsx'

/** Says what each column is and what the file proves, and starts a dry run. With a profile, sends only what differs from it. */
export function MappingForm({
  job,
  takesFocus,
  isMappedMeanwhile,
  onTake,
  onSaved,
  onCancel,
}: {
  /** as it was when the form was opened */
  job: Import
  /** if its user opened it */
  takesFocus: boolean
  /** another user mapped the file since then */
  isMappedMeanwhile: boolean
  /** takes that mapping instead of what is typed */
  onTake: () => void
  onSaved: () => void
  /** absent if there is no earlier mapping to keep */
  onCancel: (() => void) | undefined
}) {
  const { name, api } = useWorkspace()
  const fields = useFields()
  const tags = useTags()
  const profiles = useAnswer([name, 'mapping-profiles'], (options) => api.listMappingProfiles({}, options))
  const definitions = fields.data?.field_definitions ?? []
  const custom = definitions.map((field) => field.field_key)
  const [changed, setChanged] = useState<Record<string, string>>({})
  const [policy, setPolicy] = useState<ConsentPolicy>(job.consent_policy ?? 'review_required')
  const [proof, setProof] = useState<Record<string, unknown>>(job.policy)
  // Null: those of the profile, or of the import.
  const [meanings, setMeanings] = useState<string | null>(null)
  const [profileId, setProfileId] = useState<string | null>(null)
  const [saveAs, setSaveAs] = useState('')
  const [first] = useState({ policy, proof })
  const { leave, mayLose } = useUnsaved(
    Object.keys(changed).length > 0 ||
      policy !== first.policy ||
      proof !== first.proof ||
      meanings !== null ||
      profileId !== null ||
      saveAs !== '',
  )
  const columns = columnsOf(job.headers)
  const profile = profiles.data?.profiles.find(({ id }) => id === profileId)
  const given = profile?.mapping ?? job.mapping
  const meaningsShown = meanings ?? statusLinesOf((profile ?? job).policy['status_values'])
  const isGiven = profile !== undefined || Object.keys(job.mapping).length > 0
  const mapping = { ...(isGiven ? namedMapping(columns, given) : guessMapping(columns, custom)), ...changed }
  const save = useChange(
    (body: ImportMappingRequest) => api.mapImport({ job_id: job.id, body }),
    () => {
      leave()
      onSaved()
    },
  )
  const targets = targetChoices(definitions)
  const hasStatus = Object.values(mapping).includes('status')
  const valueOf = (key: string) => (key in proof ? proof[key] : profile?.policy[key])
  const status = valueOf('default_status')
  const rows = {
    status: isDefaultStatus(status) ? status : ('' as const),
    policy,
    hasStatusColumn: hasStatus,
    isStatusLeftOut: Object.values(profile?.mapping ?? {}).includes('status') && !hasStatus,
  }
  const isEvidenceNeeded = needsEvidence(rows)
  return (
    <Section
      id="mapping"
      takesFocus={takesFocus}
      title="What is each column?"
      about="Guessed from the names. A dry run shows what would happen, and writes nothing."
    >
      <form
        inert={save.isPending} // what is typed now would be lost
        onSubmit={(event) => {
          event.preventDefault()
          // `null` leaves out the meanings of the profile, which else stay as it has them.
          const isKept = profile !== undefined && meanings === null
          const values = { status_values: hasStatus && !isKept ? (statusValuesOf(meaningsShown) ?? null) : undefined }
          // What was typed before, or a profile has, is no evidence of this import if nobody is asked for it.
          const unused = isEvidenceNeeded ? {} : Object.fromEntries(evidence.map(([key]) => [key, null]))
          save.mutate({
            mapping: profile ? changed : mapping,
            consent_policy: policy,
            policy: Object.fromEntries(
              Object.entries<unknown>({ ...proof, ...values, ...unused }).filter(([, value]) => value !== undefined),
            ),
            profile_id: profileId,
            save_profile_name: saveAs || null,
          })
        }}
      >
        <Stack>
          <Select
            label="Profile"
            description="A saved one, or one for the export of another product. What you change below wins."
            clearable
            clearButtonProps={clearButton('Profile')}
            searchable={(profiles.data?.profiles.length ?? 0) > 8}
            data={(profiles.data?.profiles ?? []).map(({ id, name: label }) => ({ value: id, label }))}
            value={profileId}
            onChange={(id) => {
              // A profile says itself what its columns and cells mean. Other evidence that was typed stays.
              const ofProfile = profiles.data?.profiles.find((one) => one.id === id)?.policy ?? {}
              setProfileId(id)
              setChanged({})
              setMeanings(null)
              setProof((before) =>
                Object.fromEntries(
                  evidence.flatMap(([key]) => (before[key] && !ofProfile[key] ? [[key, before[key]]] : [])),
                ),
              )
            }}
            maw={420}
            {...whileUnread(profiles)}
          />
          <SimpleGrid cols={{ base: 1, xs: 2, md: 3 }}>
            {columns.map(({ key, label }) => (
              <Select
                key={key}
                label={label}
                searchable
                allowDeselect={false}
                data={targets}
                value={mapping[key] ?? 'ignore'}
                onChange={(target) => setChanged((before) => ({ ...before, [key]: target ?? 'ignore' }))}
              />
            ))}
          </SimpleGrid>
          {hasStatus && (
            <Textarea
              label={statusValuesLabel}
              description="One a line, such as: active = subscribed. The others are unsubscribed, suppressed and pending."
              autosize
              minRows={2}
              maw={420}
              value={meaningsShown}
              onChange={(event) => setMeanings(event.currentTarget.value)}
            />
          )}
          <Radio.Group
            label="What does the file prove?"
            description="A file alone is never consent."
            value={policy}
            onChange={(value) => setPolicy(value as ConsentPolicy)}
          >
            <Stack gap={6} mt="xs">
              {(Object.keys(policies) as ConsentPolicy[]).map((value) => (
                <Radio key={value} value={value} label={policies[value]} />
              ))}
            </Stack>
          </Radio.Group>
          <PolicyOfRows
            rows={rows}
            tags={valueOf('static_tags')}
            onChange={(changed) => setProof((before) => ({ ...before, ...changed }))}
          />
          {isEvidenceNeeded && !canSubscribe(rows) && (
            <Text size="sm">
              This import subscribes nobody. Without evidence, choose “Nobody is subscribed”: the rows mean the same.
            </Text>
          )}
          {isEvidenceNeeded && (
            <SimpleGrid cols={{ base: 1, xs: 2 }}>
              {evidence.map(([key, label, about]) => (
                <TextInput
                  key={key}
                  label={label}
                  description={about}
                  required={policy === 'explicit_opt_in'}
                  value={textOf(valueOf(key))}
                  onChange={(event) => {
                    const { value } = event.currentTarget
                    // `null` leaves out the value of the profile.
                    setProof((before) => ({ ...before, [key]: value || null }))
                  }}
                />
              ))}
            </SimpleGrid>
          )}
          <TextInput
            label="Save as a profile"
            description="For the next file of the same kind. Empty saves none."
            value={saveAs}
            onChange={(event) => setSaveAs(event.currentTarget.value)}
            maw={420}
          />
          {save.error && <ErrorNotice error={save.error} inWords={(problem) => fieldInWords(problem, policyLabels)} />}
          {isMappedMeanwhile && !save.isPending && !save.isSuccess && <MappedMeanwhile id={job.id} onTake={onTake} />}
          <ReadNotices of={[profiles, fields, tags]} />
          <Group>
            <Button
              type="submit"
              loading={save.isPending}
              // Before the custom fields are read, their columns would be left out.
              disabled={!fields.data || !Object.values(mapping).includes('email')}
            >
              Start the dry run
            </Button>
            {onCancel && (
              <Button variant="default" onClick={() => mayLose() && onCancel()}>
                Keep the mapping as it is
              </Button>
            )}
          </Group>
        </Stack>
      </form>
    </Section>
  )
}
