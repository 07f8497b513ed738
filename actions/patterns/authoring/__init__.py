"""Find flaws in how a skill is written that affect every user: needless files, state fields, stubs, vague instructions."""
