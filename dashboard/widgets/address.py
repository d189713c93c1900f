"""The address as the reader has it, whatever page they come from."""

from streamlit.runtime.scriptrunner import get_script_run_ctx


def as_it_is() -> None:
    """Take the whole address of the way back, and of a link in a table, which is followed alike.

    Streamlit has taken out of it whatever has the name of a filter on the page that is left: the
    `game` of a list of matches, and with it that of the player it leads to.
    """
    run = get_script_run_ctx()
    if run is None or not run.is_history_navigation:
        return
    with run.session_state.query_params() as told:
        before = str(told)
        told.populate_from_query_string(run.query_string)
        told.set_initial_query_params_from_current()
        if str(told) != before:
            told._send_query_param_msg()
