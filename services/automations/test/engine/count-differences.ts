import type { Stage } from '@lettergate/stage'

/** The counts of nodes that are not those of the rows, in either direction. */
export const countDifferences = (stage: Pick<Stage, 'query'>) =>
  stage.query(
    `with counted as (
       select version_id, node_key, counted, sum(count) as count from automations.node_counts group by 1, 2, 3 having sum(count) <> 0),
     there as (
       select e.version_id, p.node_key, p.state as counted, count(*)::numeric as count
         from automations.enrollment_positions p join automations.enrollments e on e.id = p.enrollment_id group by 1, 2, 3
       union all
       select e.version_id, k.node_key, k.outcome, count(*) from automations.enrollment_steps k
         join automations.enrollments e on e.id = k.enrollment_id group by 1, 2, 3
       union all
       select version_id, '', end_state, count(*) from automations.enrollments where end_state is not null group by 1, 2, 3)
     (select * from counted except select * from there) union all (select * from there except select * from counted)`,
  )
