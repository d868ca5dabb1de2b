def setup(app):
    app.add_config_value("fortran_sources", None, "env")
